"""The shipped programs: valid answers in the sandbox, known values, the dispatch loop, the expressions."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from gapsmith.evaluators.smtt import smtt, smtt_rule, smwtt, smwtt_rule
from gapsmith.evaluators.smtt.decomposition import Decomposition
from gapsmith.evaluators.smtt.search import cost_of
from gapsmith.problems.base import Driven, HasPrimitives, canonical_json
from gapsmith.problems.smtt.verification import total_tardiness
from gapsmith.sandbox.base import ExecutionStatus, Limits, Program
from gapsmith.sandbox.slot import open_sandbox

FORMS = {"smtt": smtt, "smtt-rule": smtt_rule, "smwtt": smwtt, "smwtt-rule": smwtt_rule}
Load = Callable[[Any, str], Callable[..., list[int]]]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_every_program_answers_in_the_sandbox(form: str) -> None:
    """Start programs and baselines give valid answers under the default limits, for few jobs and for many."""
    problem: Any = FORMS[form].problem(jobs=60)
    tiny, few = (FORMS[form].problem(jobs=jobs).instances("train", 1)[7] for jobs in (2, 20))
    instances = [tiny, few, problem.instances("valid", 1)[3]]
    assert problem.name == form
    assert isinstance(problem, Driven) == form.endswith("rule")
    with open_sandbox() as sandbox:
        for name, text in {**problem.start_programs(), **problem.baselines()}.items():
            program = Program({"heuristic.py": text}, problem.entry_point, getattr(problem, "driver", None))
            for instance in instances:
                public = canonical_json(dict(instance.public)).encode()
                execution = sandbox.execute(program, public, Limits(), 0)
                assert execution.status is ExecutionStatus.OK, (name, execution.error)
                assert problem.verify(instance, execution.answer).objective is not None


def test_baselines_have_the_ids_of_the_contract() -> None:
    """Lower case with hyphens, and those that other parts name are there."""
    assert {"spt", "edd", "mdd", "mddc", "mdd-insertion"} <= set(smtt.problem().baselines())
    assert next(iter(smtt.problem().start_programs())) == "mdd"
    assert next(iter(smtt_rule.problem().start_programs())) == "mdd"


@pytest.mark.parametrize("name", ["spt", "edd", "mst", "mdd", "atc", "covert", "mddc"])
def test_a_rule_and_its_sequence_form_are_the_same_heuristic(function: Load, name: str) -> None:
    """The dispatch loop with the rule gives the value of the whole-sequence program."""
    whole, rule = function(smtt.problem(), name), function(smtt_rule.problem(), name)
    for instance in smtt.problem(jobs=25).instances("train", 2)[:20]:
        public = instance.public
        assert total_tardiness(public, whole(**public)) == total_tardiness(public, rule(**public))


def test_no_baseline_beats_the_optimum(function: Load, draw: Callable[..., Iterator[Any]]) -> None:
    """On tie-heavy instances, due dates below 0 included, and several reach it at times."""
    problem = smtt.problem()
    programs = {name: function(problem, name) for name in problem.baselines()}
    reached = dict.fromkeys(programs, 0)
    for public in draw(60, 8, seed=21):
        optimum = Decomposition(**public).value()
        for name, program in programs.items():
            value = total_tardiness(public, program(**{key: list(v) for key, v in public.items()}))
            assert value >= optimum, name
            reached[name] += value == optimum
    assert reached["iterated-insertion"] >= reached["mdd-insertion"] >= reached["mdd"] > 0


def test_insertion_ends_where_no_single_insertion_helps(function: Load) -> None:
    """The vectorised descent stops at a true local optimum, with and without weights."""
    for problem, name in (
        (smtt.problem(jobs=12), "mdd-insertion"),
        (smwtt.problem(jobs=12), "atc-insertion"),
    ):
        for instance in problem.instances("train", 3)[:8]:
            order = function(problem, name)(**instance.public)
            value = cost_of(instance.public, order)
            for source in range(len(order)):
                for target in range(len(order)):
                    moved = [job for job in order if job != order[source]]
                    moved.insert(target, order[source])
                    assert cost_of(instance.public, moved) >= value


@pytest.mark.parametrize("form", FORMS)
def test_every_program_ends_on_the_largest_numbers(form: str) -> None:
    """Numbers near 10¹², whose products leave 64 bits, give a permutation within 2 seconds."""
    problem: Any = FORMS[form].problem()
    stream = random.Random(7)
    public = {
        key: [stream.randint(10**12 - 10**9, 10**12) for _ in range(6)]
        for key in problem.instances("train", 1)[0].public
    }
    with open_sandbox() as sandbox:
        for name, text in {**problem.start_programs(), **problem.baselines()}.items():
            program = Program({"heuristic.py": text}, problem.entry_point, getattr(problem, "driver", None))
            execution = sandbox.execute(program, canonical_json(public).encode(), Limits(cpu_seconds=2.0), 0)
            assert execution.status is ExecutionStatus.OK, (name, execution.error)
            answer: Any = execution.answer
            assert sorted(answer) == list(range(6)), name


def test_weighted_insertion_is_exact_on_both_kinds_of_integers(function: Load) -> None:
    """Ordinary instances take the machine's integers, huge ones Python's, to the same sequences."""
    problem = smwtt.problem(jobs=15)
    program = function(problem, "atc-insertion")
    best_move = program.__globals__["best_move"]
    kinds = []

    def seen(p: Any, d: Any, w: Any) -> Any:
        kinds.append(w.dtype)
        return best_move(p, d, w)

    program.__globals__["best_move"] = seen
    ordinary = problem.instances("train", 5)[:20]
    sequences = [program(**instance.public) for instance in ordinary]
    assert len(ordinary) == 20
    assert set(kinds) == {np.dtype(np.int64)}
    kinds.clear()
    for instance, sequence in zip(ordinary, sequences, strict=True):
        # Costs scaled by 10¹⁵ have the same best moves, but leave 64 bits.
        scaled = {**instance.public, "weights": [10**15 * w for w in instance.public["weights"]]}
        assert program(**scaled) == sequence
    assert set(kinds) == {np.dtype(object)}


def test_adjacent_pair_ends_where_no_exchange_helps(function: Load) -> None:
    """No exchange of two neighbours lowers the total tardiness."""
    for instance in smtt.problem(jobs=15).instances("train", 4)[:10]:
        order = function(smtt.problem(), "adjacent-pair")(**instance.public)
        value = total_tardiness(instance.public, order)
        for k in range(len(order) - 1):
            swapped = [*order[:k], order[k + 1], order[k], *order[k + 2 :]]
            assert total_tardiness(instance.public, swapped) >= value


def test_working_eddc_is_not_edd(function: Load) -> None:
    """The published pseudocode equals EDD; the shipped form does not, and is better in total."""
    problem = smtt.problem(jobs=40)
    totals = dict.fromkeys(("edd", "eddc"), 0)
    for instance in problem.instances("train", 1):
        for name in totals:
            totals[name] += total_tardiness(instance.public, function(problem, name)(**instance.public))
    assert totals["eddc"] < 0.9 * totals["edd"]


@pytest.mark.parametrize(
    ("body", "fault"),
    [("0.0", "got shape ()"), ("due_dates[:-1]", "shape (4,)"), ("due_dates[:, None]", "shape (5, 1)")],
)
def test_the_loop_refuses_a_rule_of_the_wrong_shape(body: str, fault: str) -> None:
    """The message says what was got and expected."""
    scope: dict[str, Any] = {}
    exec(smtt_rule.problem().driver, scope)  # type: ignore[attr-defined]
    rule = eval(f"lambda time, processing_times, due_dates: {body}")
    public = smtt.problem(jobs=5).instances("train", 1)[0].public
    with pytest.raises(ValueError, match="expected \\(5,\\)") as caught:
        scope["drive"](rule, dict(public))
    assert fault in str(caught.value)


def test_the_loop_survives_nan_and_tampering() -> None:
    """NaN goes last, and a rule that overwrites its arrays changes nothing for the next step."""
    scope: dict[str, Any] = {}
    exec(smtt_rule.problem().driver, scope)  # type: ignore[attr-defined]
    seen = []

    def rule(time: float, processing_times: Any, due_dates: Any) -> Any:
        seen.append((time, processing_times.tolist()))
        answer = np.where(due_dates == due_dates.min(), np.nan, due_dates)
        processing_times[:] = -1
        due_dates[:] = 0
        return answer

    public = {"processing_times": [3, 1, 2], "due_dates": [1, 2, 3]}
    assert scope["drive"](rule, public) == [1, 2, 0]
    assert seen == [(0.0, [3.0, 1.0, 2.0]), (1.0, [3.0, 2.0]), (3.0, [3.0])]


@pytest.mark.parametrize("form", FORMS)
def test_every_expression_of_the_field_is_one(form: str) -> None:
    """Each declared text is an expression that evaluates over the parameters to what its kind says."""
    problem = FORMS[form].problem()
    assert isinstance(problem, HasPrimitives)
    public = FORMS[form].problem(jobs=6).instances("train", 1)[0].public
    scope: dict[str, Any] = {"np": np, "time": 7}
    if form.endswith("rule"):
        scope |= {name: np.array(values, dtype=float) for name, values in public.items()}
    else:
        scope |= {**public, "j": 2, "remaining": [1, 2, 4]}
    texts = [primitive.text for primitive in problem.primitives()]
    assert len(set(texts)) == len(texts) > 15
    terms = [primitive.term for primitive in problem.primitives() if primitive.term]
    assert len(set(terms)) == len(terms) > 5
    for primitive in problem.primitives():
        ast.parse(primitive.text, mode="eval")
        value = eval(primitive.text, scope)
        expected = {"vector": (6,), "number": ()}.get(primitive.kind)
        assert expected == np.shape(value) if expected is not None else len(value) == 6
