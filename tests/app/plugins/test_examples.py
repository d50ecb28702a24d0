"""The example problems pass their check, and are what they say they are."""

from __future__ import annotations

import dataclasses
import random
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import pytest
from gapsmith import Interactive, ReferenceKind, check_problem
from gapsmith.app.plugins.loader import load_problem
from gapsmith.app.plugins.short_problem import MadeReferences

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
            costs.append(steps.result)
        reference = MadeReferences(problem.form, problem.form.reference).reference(instance, 5.0)
        assert reference.bound <= min(costs)


def test_the_bound_of_spark_queues_is_below_every_policy_that_is_played() -> None:
    """Random choices of jobs never end sooner than the relaxation says."""
    problem = load_problem(str(EXAMPLES / "spark_queues.py")).problem
    rng = random.Random(1)
    for seed in range(10):
        instance = problem.small(seed, {"jobs": 6, "cores": 2, "users": 2, "slack": 500})
        bound = MadeReferences(problem.form, problem.form.reference).reference(instance, 5.0).bound
        for _ in range(30):
            steps = problem.steps(instance)
            while steps.asked is not None:
                steps.decide(rng.randrange(len(steps.asked["jobs"])))
            assert bound <= steps.result[0]


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
    assert [int(dialogue.next(line)) for line in (b"", b"0", b"3")] == instance.hidden["durations"][:3]
    assert dialogue.answer() == [0, 3]
    with pytest.raises(ValueError, match="machine from 0 to 3"):
        dialogue.next(b"4")


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
    loaded = load_problem(str(EXAMPLES / "paging.py"), {"requests": 20, "room": 3})
    instance = loaded.instances("train", 1)[0]
    for _ in range(20):
        requests = [rng.randrange(6) for _ in range(12)]
        small = dataclasses.replace(instance, hidden={"requests": requests})
        assert loaded.problem.reference(small, 1.0).value == fewest(tuple(requests), frozenset(), 3)


def test_paging_counts_misses_again_and_refuses_other_slots() -> None:
    """A miss of a full cache names a slot; the parent believes no count."""
    loaded = load_problem(str(EXAMPLES / "paging.py"), {"requests": 20, "room": 2})
    instance = dataclasses.replace(loaded.instances("train", 1)[0], hidden={"requests": [7, 8, 9, 7, 9]})
    dialogue = loaded.problem.dialogue(instance)
    pages = [dialogue.next(line) for line in (b"", b"-", b"-", b"1", b"-", b"-")]
    assert pages == [b"7", b"8", b"9", b"7", b"9", None]
    assert loaded.problem.verify(instance, dialogue.answer()).objective == 3
    assert loaded.problem.verify(instance, [-1] * 5).objective is None
    with pytest.raises(ValueError, match="expected -"):
        loaded.problem.dialogue(instance).take(b"0", 7)


@pytest.mark.slow
def test_read_ahead_bound_is_met_in_order_and_never_beaten() -> None:
    """Of all plans of small sequences none is cheaper; where blocks come in order one costs as much."""
    loaded = load_problem(str(EXAMPLES / "read_ahead.py"))
    shape = loaded.instances("train", 1)[0]
    rng = random.Random(3)
    for trial in range(6):
        requests = [rng.randrange(12) for _ in range(4)]
        requests = sorted({*requests}) if trial % 2 else requests
        instance = dataclasses.replace(shape, public={"requests": requests, "room": 33})
        plans = product(range(-1, 12), repeat=len(requests))
        prices = [loaded.problem.verify(instance, list(plan)).objective for plan in plans if plan[0] >= 0]
        bound, least = loaded.reference(instance, 1.0).value, min(p for p in prices if p is not None)
        assert bound <= least
        assert bound == least or not trial % 2


def test_read_ahead_counts_reads_again() -> None:
    """Reads that were not needed cost as much; a hit cannot be sold as a read nor a miss as a hit."""
    loaded = load_problem(str(EXAMPLES / "read_ahead.py"))
    public = {"requests": [5, 6, 7, 40, 5], "room": 33}
    instance = dataclasses.replace(loaded.instances("train", 1)[0], public=public)
    space: dict[str, Any] = {}
    exec(loaded.problem.driver, space)
    plan = space["drive"](lambda run, used, last, gap: 1.9, public)
    assert plan == [1, -1, 1, 1, -1]
    assert loaded.problem.verify(instance, plan).objective == 3 * 10
    assert space["drive"](lambda run, used, last, gap: float("nan"), public) == [0, 0, 0, 0, -1]
    for wrong in (
        [1, 0, 1, 1, -1],
        [1, -1, -1, 1, -1],
        [33, -1, -1, -1, -1],
        [True, -1, 1, 1, -1],
        [1],
        None,
    ):
        assert loaded.problem.verify(instance, wrong).objective is None


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
