"""Model placement: instances, verdicts, programs and proven references."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from gapsmith.evaluators.base import ReferenceKind, ScoreStatus
from gapsmith.evaluators.placement import model_placement as plugin
from gapsmith.evaluators.scoring import score
from gapsmith.problems.base import Instance, Problem, VerdictStatus
from gapsmith.problems.strata import stream
from gapsmith.sandbox.base import Execution, ExecutionStatus

SMALL = {"gpus": 2, "memory": 80, "sizes": [30, 20, 10], "rates": [6, 3, 5]}


def small(**changes: Any) -> Instance:
    """Two GPUs and three models, or another public part."""
    return Instance("small", "train", "small", {**SMALL, **changes}, 1, "by hand")


def brute_force(public: dict[str, Any]) -> Fraction:
    """The smallest largest pressure over all assignments."""
    best = None
    for answer in itertools.product(range(public["gpus"]), repeat=len(public["sizes"])):
        verdict = plugin.problem().verify(small(**public), list(answer))
        if verdict.objective is not None and (best is None or verdict.objective < best):
            best = verdict.objective
    assert best is not None
    return Fraction(best)


def test_the_objective_is_the_largest_pressure_as_a_fraction() -> None:
    """Loads 9 and 5 on 30 and 70 free GB give 9/30."""
    verdict = plugin.problem().verify(small(), [0, 0, 1])
    assert verdict.status is VerdictStatus.VALID
    assert verdict.objective == Fraction(9, 30)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ([0, 0, 2], VerdictStatus.INVALID_ANSWER),  # a GPU that is not there
        ([0, 0, -1], VerdictStatus.INVALID_ANSWER),
        ([0, 0], VerdictStatus.INVALID_ANSWER),  # a model dropped
        ([0, 0, 1, 1], VerdictStatus.INVALID_ANSWER),  # a model doubled
        ([0, True, 1], VerdictStatus.INVALID_ANSWER),
        ([0, 0.5, 1], VerdictStatus.INVALID_ANSWER),
        ([0, 1.0, 1], VerdictStatus.INVALID_ANSWER),
        ([0, float("nan"), 1], VerdictStatus.INVALID_ANSWER),
        ([0, 10**400, 1], VerdictStatus.INVALID_ANSWER),
        ([[0], [1], [0]], VerdictStatus.INVALID_ANSWER),
        ({"0": [0, 1, 2]}, VerdictStatus.INVALID_ANSWER),
        (None, VerdictStatus.INVALID_ANSWER),
        ("001", VerdictStatus.INVALID_ANSWER),
    ],
)
def test_cheats_end_in_a_status(answer: Any, status: VerdictStatus) -> None:
    """More GPUs, dropped or doubled models, booleans and fractions get no objective."""
    assert plugin.problem().verify(small(), answer).status is status


@pytest.mark.parametrize("sizes", [[30, 20, 30], [40, 20, 30]])
def test_a_full_gpu_is_infeasible(sizes: list[int]) -> None:
    """Weights that leave no free GB have no pressure, and no score."""
    verdict = plugin.problem().verify(small(sizes=sizes), [0, 0, 0])
    assert verdict.status is VerdictStatus.INFEASIBLE
    assert "GPU 0" in verdict.violations[0]


def test_skipping_an_instance_by_raising_is_no_score() -> None:
    """An execution that raised ends in its status, so that a mean cannot leave it out."""
    instance = small()
    reference = plugin.references.reference(instance, 5)  # type: ignore[union-attr]
    found = score(plugin.problem(), instance, reference, Execution(ExecutionStatus.RAISED, error="too hard"))
    assert found.status is ScoreStatus.RAISED
    assert found.objective is None


def test_a_change_of_the_inputs_is_not_seen(answer_of: Callable[..., Any]) -> None:
    """A program that shrinks the models in place gains nothing: the parent keeps its own instance."""
    problem: Problem = plugin.problem()
    cheat = "def place(gpus, memory, sizes, rates):\n    sizes[:] = [0]\n    return [0] * len(rates)\n"
    instance = small(sizes=[40, 30, 20])
    assert problem.verify(instance, answer_of(problem, cheat, instance)).status is VerdictStatus.INFEASIBLE


def test_sets_repeat_and_splits_are_disjoint() -> None:
    """The same seed gives the same instances, and no instance is in two splits."""
    problem = plugin.problem()
    splits = {name: [i.digest for i in problem.instances(name, 1)] for name in ("train", "valid", "test")}
    assert splits["test"] == [i.digest for i in problem.instances("test", 1)]
    assert len(set().union(*splits.values())) == sum(len(digests) for digests in splits.values())
    assert set(splits["test"]).isdisjoint(i.digest for i in problem.instances("test", 2))


@pytest.mark.parametrize("name", ["train", "large", "decided", "community"])
def test_programs_are_feasible_on_every_set(name: str, answer_of: Callable[..., Any]) -> None:
    """Every start program and baseline places every model, and none beats the arithmetic bound."""
    problem: Problem = plugin.problem()
    for instance in problem.instances(name, 1)[:12]:
        public = instance.public
        mean = Fraction(sum(public["rates"]), public["gpus"] * public["memory"] - sum(public["sizes"]))
        for source in {**problem.start_programs(), **problem.baselines()}.values():
            verdict = problem.verify(instance, answer_of(problem, source, instance))
            assert verdict.objective is not None
            assert verdict.objective >= mean


def test_optimum_agrees_with_brute_force() -> None:
    """On random instances of up to seven models the reference is the optimum of all assignments."""
    for number in range(40):
        source = stream(f"brute force {number}")
        gpus, models = source.randint(2, 3), source.randint(2, 7)
        public = {
            "gpus": gpus,
            "memory": 20,
            "sizes": [source.randint(1, 9) for _ in range(models)],
            "rates": [source.randint(1, 6) for _ in range(models)],
        }
        if sum(public["sizes"]) > gpus * 14:
            continue
        reference = plugin.references.reference(small(**public), 5)  # type: ignore[union-attr]
        assert reference.kind is ReferenceKind.OPTIMUM
        assert reference.value == brute_force(public)


@pytest.mark.parametrize("some", [slice(0, 1), pytest.param(slice(1, 25), marks=pytest.mark.slow)])
def test_cp_sat_proves_the_same_optima(some: slice) -> None:
    """On community instances the second solver finds the same values from a model of its own."""
    for instance in plugin.problem().instances("community", 1)[some]:
        reference = plugin.references.reference(instance, 5)  # type: ignore[union-attr]
        again = plugin.references.reprove(instance, reference, 20)  # type: ignore[union-attr]
        assert (again.kind, again.value) == (ReferenceKind.OPTIMUM, reference.value)
        assert again.solver == "CP-SAT"


@pytest.mark.slow
def test_a_wrong_optimum_is_not_confirmed() -> None:
    """CP-SAT does not call a value optimal that is too low or too high."""
    instance = small()
    reference = plugin.references.reference(instance, 5)  # type: ignore[union-attr]
    for value in (Fraction(reference.value) * 9 / 10, Fraction(reference.value) * 11 / 10):
        wrong = type(reference).optimum(value, reference.proof, "none", "1", None, "made up")
        again = plugin.references.reprove(instance, wrong, 5)  # type: ignore[union-attr]
        assert again.kind is not ReferenceKind.OPTIMUM


def test_the_communitys_optimum_is_below_published_scores() -> None:
    """1 + 1 / (mean optimum) is 26.2560 (the mediant bound says 29.404): 26.27, 26.37 and 30.52 are above."""
    instances = plugin.problem().instances("community", 1)
    optima, bounds = Fraction(0), Fraction(0)
    for instance in instances:
        reference = plugin.references.reference(instance, 10)  # type: ignore[union-attr]
        assert reference.kind is ReferenceKind.OPTIMUM
        public = instance.public
        optima += Fraction(reference.value) / 2520
        bounds += Fraction(sum(public["rates"]), public["gpus"] * 80 - sum(public["sizes"])) / 2520
    best = 1 + 1 / float(optima / len(instances))
    assert best == pytest.approx(26.25597, abs=1e-5)
    assert 1 + 1 / float(bounds / len(instances)) == pytest.approx(29.4038, abs=1e-4)
    assert best < 26.27


def test_an_answer_can_be_drawn() -> None:
    """A drawing has one rectangle per model, within memory, and a label per GPU."""
    drawing = plugin.problem().draw(small(), [0, 0, 1])
    boxes = [shape for shape in drawing.shapes if shape.kind == "rectangle"]
    assert len(boxes) == 3
    assert max(box.y + box.height for box in boxes) == 50
    assert sum(shape.kind == "label" for shape in drawing.shapes) == 2
    assert {box.group for box in boxes} == {"busiest", "model"}
