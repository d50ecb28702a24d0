"""The example problems pass their check, and are what they say they are."""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable, Iterable
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pytest
from gapsmith import Interactive, ReferenceKind, check_problem
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.plugins.short_problem import MadeReferences, ShortFormProblem
from gapsmith.evaluators.base import Reference
from gapsmith.problems.base import Instance, VerdictStatus

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = (
    "knapsack",
    "graph_colouring",
    "online_machines",
    "flow_shop",
    "routing",
    "paging",
    "read_ahead",
    "circle_packing",
    "agent_pauses",
    "charging_station",
    "chunked_prefills",
    "satellite_windows",
    "serverless_keep_alive",
    "spark_queues",
)
FIELD = NAMES[-6:]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_an_example_passes_its_check(name: str) -> None:
    """Contract and attacks find nothing."""
    report = check_problem(str(EXAMPLES / f"{name}.py"), seconds=4.0)
    assert report.passed, report.findings


@pytest.mark.parametrize("name", FIELD)
def test_an_example_from_the_field_has_three_programs_and_a_proof(name: str) -> None:
    """Programs are compared with an optimum or a bound; what was found is told to nobody who searches."""
    loaded = load_problem(str(EXAMPLES / f"{name}.py"))
    assert len(loaded.problem.baselines()) == 3
    reference = loaded.reference(loaded.instances("train", 1)[0], 20.0)
    assert reference.kind in (ReferenceKind.OPTIMUM, ReferenceKind.BOUND)
    assert "found in" not in loaded.problem.statement


@pytest.mark.parametrize("name", FIELD)
def test_an_example_from_the_field_draws_an_answer(name: str) -> None:
    """What the start program answers has a picture whose shapes have a size."""
    problem = load_problem(str(EXAMPLES / f"{name}.py")).problem
    instance = problem.instances("train", 1)[0]
    program: dict[str, Any] = {}
    exec(next(iter(problem.start_programs().values())), program)
    solve = program[problem.entry_point]
    answer = _played(problem, instance, solve) if name != "satellite_windows" else solve(**instance.public)
    assert problem.verify(instance, answer).objective is not None
    drawing = problem.draw(instance, answer)
    assert len(drawing.shapes) >= 12
    assert max(shape.height for shape in drawing.shapes) > 0
    assert max(shape.width for shape in drawing.shapes) > 0


def test_the_bound_of_prefills_is_below_every_order_of_small_loads() -> None:
    """Of all fixed orders of five requests none has less weighted time than mean busy times."""
    problem = load_problem(str(EXAMPLES / "chunked_prefills.py")).problem
    for seed in range(8):
        instance = problem.small(seed, {"requests": 5, "budget": 64, "longest": 300})
        costs = []
        for order in permutations(range(5)):
            steps = problem.steps(instance)
            seen: dict[tuple[int, int], int] = {}
            while steps.asked is not None:
                waiting = steps.asked["waiting"]
                keys = [(prompt, weight) for _, _, prompt, weight in waiting]
                for key in keys:
                    seen.setdefault(key, len(seen) % 5)
                steps.decide([float(order[seen[key]]) for key in keys])
            costs.append(problem.form.objective.on(instance.hidden, steps.result))
        assert _stated(problem, instance).value <= min(costs)


def test_the_bound_of_spark_queues_is_below_every_policy_that_is_played() -> None:
    """Random choices of jobs never end sooner than the relaxation says."""
    problem = load_problem(str(EXAMPLES / "spark_queues.py")).problem
    rng = random.Random(1)
    for seed in range(10):
        instance = problem.small(seed, {"jobs": 6, "cores": 2, "users": 2, "slack": 500})
        bound = _stated(problem, instance).value
        for _ in range(30):
            steps = problem.steps(instance)
            while steps.asked is not None:
                steps.decide(rng.randrange(len(steps.asked["jobs"])))
            assert bound <= problem.form.objective.on(instance.hidden, steps.result)


def test_knapsack_reference_is_the_enumerated_optimum() -> None:
    """The dynamic programme agrees with trying every choice of ten items."""
    loaded = load_problem(str(EXAMPLES / "knapsack.py"), {"items": 10})
    for instance in loaded.instances("train", 1)[:4]:
        verdicts = [
            loaded.problem.verify(instance, list(chosen))
            for size in range(11)
            for chosen in combinations(range(10), size)
        ]
        best = max(v.objective for v in verdicts if v.objective is not None)
        reference = loaded.reference(instance, 1.0)
        assert (reference.kind, reference.value) == (ReferenceKind.OPTIMUM, best)


def test_colouring_reference_of_small_graphs() -> None:
    """CP-SAT proves the chromatic number of a small graph, which its own verification accepts."""
    loaded = load_problem(str(EXAMPLES / "graph_colouring.py"), {"nodes": 8, "density": 0.6})
    instance = loaded.instances("train", 1)[0]
    reference = loaded.reference(instance, 10.0)
    assert reference.kind is ReferenceKind.OPTIMUM
    assert not any(
        loaded.problem.verify(instance, colours).objective is not None
        for colours in _colourings(8, reference.value - 1)
    )


def test_the_online_example_reveals_one_job_at_a_time() -> None:
    """The parent hands out the next job only after a decision, and refuses what is none."""
    loaded = load_problem(str(EXAMPLES / "online_machines.py"))
    assert isinstance(loaded.problem, Interactive)
    instance = loaded.instances("train", 1)[0]
    dialogue = loaded.problem.dialogue(instance)
    told = [json.loads(dialogue.next(line) or b"") for line in (b"", b"0", b"3")]
    first, second, third = instance.hidden["durations"][:3]
    assert told == [[first, [0, 0, 0, 0]], [second, [first, 0, 0, 0]], [third, [first, 0, 0, second]]]
    assert dialogue.answer() == [0, 3]
    with pytest.raises(ValueError, match="from 0 to 3"):
        dialogue.next(b"4")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in FIELD])
def test_an_example_is_short(name: str) -> None:
    """Each is in the short form, in at most 85 lines."""
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text("utf-8").splitlines()) <= 85
    assert isinstance(load_problem(str(path)).problem, ShortFormProblem)


def test_paging_reference_is_the_optimum_of_all_evictions() -> None:
    """Belady's rule needs as many misses as the best of all evictions of small caches."""

    def fewest(requests: tuple[int, ...], cache: frozenset[int], room: int) -> int:
        if not requests:
            return 0
        page, later = requests[0], requests[1:]
        if page in cache:
            return fewest(later, cache, room)
        kept = [cache - {old} for old in cache] if len(cache) == room else [cache]
        return 1 + min(fewest(later, one | {page}, room) for one in kept)

    rng = random.Random(5)
    loaded = load_problem(str(EXAMPLES / "paging.py"))
    instance = loaded.instances("train", 1)[0]
    for _ in range(20):
        requests = [rng.randrange(6) for _ in range(12)]
        small = dataclasses.replace(instance, hidden={"requests": requests, "room": 3})
        assert _stated(loaded.problem, small).value == fewest(tuple(requests), frozenset(), 3)


def test_paging_counts_misses_and_refuses_other_slots() -> None:
    """A miss of a full cache names a slot; the parent believes no count."""
    problem = load_problem(str(EXAMPLES / "paging.py")).problem
    hidden = {"requests": [7, 8, 9, 7, 9], "room": 2}
    instance = dataclasses.replace(problem.instances("train", 1)[0], public={}, hidden=hidden)
    dialogue = problem.dialogue(instance)
    assert json.loads(dialogue.next(b"")) == [[2, 1], [2, 1], [1, 1]]
    assert dialogue.next(b"1") is None
    assert problem.verify(instance, dialogue.answer()).objective == 3
    assert problem.verify(instance, [0]).status is VerdictStatus.INVALID_ANSWER  # 7 comes back: a second miss
    assert problem.verify(instance, [0, 1]).objective == 4
    for wrong in ([2], [-1], [True], [], [1, 1]):
        assert problem.verify(instance, wrong).objective is None


@pytest.mark.slow
def test_read_ahead_bound_is_met_in_order_and_never_beaten() -> None:
    """Of all plans of small sequences none is cheaper; where blocks come in order one costs as much."""
    problem = load_problem(str(EXAMPLES / "read_ahead.py")).problem
    shape = problem.instances("train", 1)[0]
    rng = random.Random(3)
    for trial in range(6):
        requests = [rng.randrange(12) for _ in range(4)]
        requests = sorted({*requests}) if trial % 2 else requests
        instance = dataclasses.replace(shape, hidden={"requests": requests, "room": 33})
        prices = _every_price(problem, instance, range(12))
        bound = _stated(problem, instance).value
        assert bound <= min(prices)
        assert bound == min(prices) or not trial % 2


def test_read_ahead_counts_reads() -> None:
    """Blocks that were not needed cost as much; numbers are rounded down and cut at 0 and 32."""
    problem = load_problem(str(EXAMPLES / "read_ahead.py")).problem
    hidden = {"requests": [5, 6, 7, 40, 5], "room": 33}
    instance = dataclasses.replace(problem.instances("train", 1)[0], hidden=hidden)
    dialogue = problem.dialogue(instance)
    told = [json.loads(dialogue.next(line) or b"null") for line in (b"", b"1.9", b"1.9", b"1.9")]
    assert told == [[1, 0, 0, 0], [3, 1, 1, 2], [1, 0, 1, 1], None]
    assert problem.verify(instance, [1.9, 1.9, 1.9]).objective == 3 * 10
    assert problem.verify(instance, [-5, 0.9, 0, 1e300, 0]).objective == 3 * 9 + 9 + 32 + 9
    for wrong in ([1.9] * 2, [1.9] * 4, [True, 1, 1], [float("nan"), 1, 1], None):
        assert problem.verify(instance, wrong).objective is None


def test_circle_packing_is_checked_exactly() -> None:
    """Circles that touch within the tolerance are accepted, others not; no sum is above the bound."""
    loaded = load_problem(str(EXAMPLES / "circle_packing.py"))
    instance = next(one for one in loaded.instances("valid", 1) if one.public["count"] == 9)
    grid = [[(2 * i + 1) / 6, (2 * j + 1) / 6, 1 / 6] for i in range(3) for j in range(3)]
    verdict = loaded.problem.verify(instance, grid)
    assert verdict.objective == pytest.approx(1.5)
    assert verdict.objective < loaded.reference(instance, 1.0).value
    for place, value in ((2, 1 / 6 + 1e-8), (2, -0.1), (0, 1e400), (0, 10**400), (2, True), (1, "0.5")):
        wrong = [list(circle) for circle in grid]
        wrong[4][place] = value
        assert loaded.problem.verify(instance, wrong).objective is None
    wrong = [*grid[:-1], [0.5, 0.5, 0.0]]
    assert loaded.problem.verify(instance, wrong).objective is None
    test = {one.public["count"]: loaded.reference(one, 1.0) for one in loaded.instances("test", 1)}
    assert (test[26].kind, float(test[26].value)) == (ReferenceKind.BEST_KNOWN, 2.635)
    assert test[26].value < test[26].bound < 2.8769


def _colourings(nodes: int, colours: int) -> list[list[int]]:
    """All colourings up to the names of colours."""
    found = [[0]]
    for _ in range(nodes - 1):
        found = [[*old, c] for old in found for c in range(min(max(old) + 2, colours))]
    return found


def _stated(problem: ShortFormProblem, instance: Instance) -> Reference:
    """The reference that a problem states for an instance of a test's own."""
    assert problem.form.reference is not None
    return MadeReferences(problem.form, problem.form.reference).reference(instance, 5.0)


def _played(problem: Any, instance: Instance, decide: Callable[..., Any]) -> list[Any]:
    """The decisions of a program in a dialogue."""
    steps = problem.steps(instance)
    decisions = []
    while steps.asked is not None:
        question = json.loads(json.dumps(steps.asked))
        decisions.append(decide(*[question[name] for name in problem.arguments]))
        steps.decide(decisions[-1])
    return decisions


def _every_price(problem: Any, instance: Instance, decisions: Iterable[int]) -> list[int]:
    """The objectives of all dialogues with some decisions."""
    begun: list[list[int]] = [[]]
    prices = []
    while begun:
        made = begun.pop()
        steps = problem.steps(instance)
        for decision in made:
            steps.decide(decision)
        if steps.asked is None:
            prices.append(steps.result)
        else:
            begun += [[*made, decision] for decision in decisions]
    return prices
