"""Second proofs never end at the value that they have to prove: a bound that is too strong is found out."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.classics.references import SolvedReferences
from gapsmith.problems.base import Sense

MODULES: dict[str, Any] = {
    name: import_module(f"gapsmith.evaluators.classics.{proof}")
    for name, proof in {"tsp": "tour_proof", "cvrp": "route_proof", "orienteering": "prize_proof"}.items()
}
tsp, cvrp, orienteering = MODULES.values()
relaxation: Any = import_module("gapsmith.evaluators.smtt.relaxation")


def _here(name: str) -> SolvedReferences:
    """References that compute in this process, where a test can spoil them."""
    module: Any = MODULES[name]
    judge = import_module(f"gapsmith.problems.classics.{name}").judge
    sense = Sense.MAXIMISE if name == "orienteering" else Sense.MINIMISE
    return SolvedReferences(name, "1", module.solve, judge, sense=sense)


def _spoil_tours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tsp.TourRelaxation, "crossings", lambda relaxation, cut: 3)


def _spoil_branching(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = tsp.TourRelaxation.take_duals

    def take(relaxation: Any, duals: Any) -> None:
        taken(relaxation, duals)
        relaxation.reduced = 2 * relaxation.reduced + 100

    monkeypatch.setattr(tsp.TourRelaxation, "take_duals", take)


def _spoil_routes(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = cvrp.CustomerSetRelaxation.take_duals

    def take(relaxation: Any, duals: Any) -> None:
        taken(relaxation, duals)
        relaxation.bound += 300 * cvrp.UNIT

    monkeypatch.setattr(cvrp.CustomerSetRelaxation, "take_duals", take)


def _spoil_prizes(monkeypatch: pytest.MonkeyPatch) -> None:
    crowd = orienteering.OrienteeringRelaxation.crowd

    def stricter(relaxation: Any, nodes: Any) -> Any:
        row, low, high = crowd(relaxation, nodes)
        return row, low, high - 1

    monkeypatch.setattr(orienteering.OrienteeringRelaxation, "crowd", stricter)


SPOILED = [
    ("tsp", _spoil_tours),
    pytest.param("tsp", _spoil_branching, marks=pytest.mark.slow),
    ("cvrp", _spoil_routes),
    pytest.param("orienteering", _spoil_prizes, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "spoil"), SPOILED)
def test_a_bound_that_is_too_strong_is_found_out(
    name: str, spoil: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wrong cuts, wrong fixings and wrong bounds end beyond a valid answer, on one of four instances."""
    references: Any = _here(name)
    instances = [
        instance
        for instance in load_problem(name).problem.instances("train", 1)[:6]
        if references.shipped(instance).kind is ReferenceKind.OPTIMUM
    ]
    shipped = references.shipped(instances[0])
    assert references.reprove(instances[0], shipped, 60.0).value == shipped.value
    spoil(monkeypatch)
    again = lambda one: references.reprove(one, references.shipped(one), 60.0)  # noqa: E731
    with pytest.raises(ValueError, match="the bound is wrong"):
        [again(instance) for instance in instances[:4]]


def test_a_shipped_answer_that_misses_its_optimum_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A valid order of another makespan, and an answer that is no order, stand behind no optimum."""
    loaded: Any = load_problem("flow-shop")
    instance = loaded.problem.instances("train", 1)[4]
    references = loaded.references
    shipped = references.certificate(instance)
    assert references.judge(instance.public, shipped.answer).objective == shipped.reference.value
    backwards = shipped.answer[::-1]
    longer = references.judge(instance.public, backwards).objective
    assert longer > shipped.reference.value
    for answer, got in ((backwards, longer), ([0, 0], "expected")):
        bent = replace(shipped, answer=answer)
        monkeypatch.setattr(SolvedReferences, "certificate", lambda self, instance, bent=bent: bent)
        with pytest.raises(ValueError, match=f"the certificate's answer: got .*{got}"):
            references.reprove(instance, shipped.reference, 60.0)


def test_a_relaxation_that_is_too_strong_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound above the cost of the shipped sequence is an error."""
    loaded: Any = load_problem("smtt")
    instance = loaded.problem.instances("n=50", 0)[24]
    shipped = loaded.references.shipped(instance)
    assert loaded.references.reprove(instance, shipped, 60.0).value == shipped.value
    strong = property(lambda relaxation: 10**7)
    monkeypatch.setattr(relaxation.SequenceRelaxation, "bound", strong)
    with pytest.raises(ValueError, match="the bound is wrong"):
        loaded.references.reprove(instance, shipped, 60.0)


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("job-shop", "shops.references"),
        ("task-graph", "graphs.references"),
        ("model-placement", "placement.model_placement"),
    ],
)
def test_an_arithmetic_bound_above_a_reference_is_an_error(
    name: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second proof says so instead of taking the reference for proved by arithmetic."""
    loaded: Any = load_problem(name)
    instance = loaded.problem.instances("train", 1)[0]
    shipped = loaded.references.shipped(instance)
    methods = import_module(f"gapsmith.evaluators.{module}")
    monkeypatch.setattr(methods, "arithmetic_bound", lambda public: shipped.value + 1)
    with pytest.raises(ValueError, match="expected"):
        loaded.references.reprove(instance, shipped, 60.0)
