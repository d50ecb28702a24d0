"""The dispatch loops: schedules by hand, what active and non-delay mean, symmetries, hostile rules."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from gapsmith.problems.shops import blocking_job_shop_rule, job_shop, job_shop_rule
from gapsmith.problems.shops.rules import BLOCKING_RULES, RULES
from gapsmith.problems.shops.verification import judge, occupations
from hypothesis import given, settings
from hypothesis import strategies as st

HAND = {"machines": 2, "routes": [[0, 1], [1, 0], [0, 1]], "times": [[3, 2], [2, 4], [2, 6]]}
SWAP = {"machines": 2, "routes": [[0, 1], [1, 0]], "times": [[2, 2], [2, 2]]}


def test_shortest_first_by_hand(run: Any) -> None:
    """Active: job 0 overtakes the long operation of job 2, although machine 1 stands idle; non-delay not."""
    active, non_delay = job_shop_rule(), job_shop_rule("non-delay")
    assert run(active, active.baselines()["active-spt"], HAND) == [[2, 5], [0, 5], [0, 7]]
    later = [[2, 8], [0, 5], [0, 2]]
    assert run(active, active.baselines()["non-delay-spt"], HAND) == later
    assert run(non_delay, non_delay.baselines()["non-delay-spt"], HAND) == later


def test_whole_schedules_are_the_rules_schedules(shops: Any, run: Any) -> None:
    """A program that returns start times and the rule of the same name agree, in both loops."""
    whole, active, non_delay = job_shop(), job_shop_rule(), job_shop_rule("non-delay")
    assert set(whole.baselines()) == set(active.baselines())
    for public in shops(8, 5, 4, 9, seed=1):
        for name, source in whole.baselines().items():
            starts = run(whole, source, public)
            assert starts == run(active, active.baselines()[name], public), name
            if name in non_delay.baselines():
                assert starts == run(non_delay, non_delay.baselines()[name], public), name


def test_schedules_are_active_or_non_delay(shops: Any, run: Any) -> None:
    """No operation fits into an earlier gap; in a non-delay schedule no machine waits while one is ready."""
    problem = job_shop_rule()
    for public in shops(15, 5, 3, 9, seed=2):
        for name, source in problem.baselines().items():
            starts = run(problem, source, public)
            assert judge(public, starts).objective is not None
            assert not [row for row in _earlier(public, starts) if row[1]], name
            if name.startswith("non-delay"):
                assert not _earlier(public, starts), name


def _earlier(public: Any, starts: Any) -> list[tuple[str, bool]]:
    """Operations whose machine is idle at a moment at which they could start; whether they fit there."""
    found = []
    for machine, rows in enumerate(occupations(public, starts, blocking=False)):
        gaps = [
            (end, start)
            for (_, end, *_), (start, *_) in pairwise([(0, 0, -1, -1), *sorted(rows)])
            if end < start
        ]
        for start, _, job, place in rows:
            ready = starts[job][place - 1] + public["times"][job][place - 1] if place else 0
            length = public["times"][job][place]
            for begin, end in gaps:
                if max(begin, ready) < min(end, start):
                    found.append((f"{machine}: {job} {place}", max(begin, ready) + length <= end))
    return found


@settings(max_examples=40, deadline=None)
@given(data=st.data())
@pytest.mark.slow
def test_scaling_times_and_renaming_machines_change_nothing(data: Any) -> None:
    """Times times k give starts times k, and other names of the machines the same starts."""
    jobs, machines = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    routes = [list(data.draw(st.permutations(range(machines)))) for _ in range(jobs)]
    times = [[data.draw(st.integers(1, 6)) for _ in route] for route in routes]
    factor, names = data.draw(st.integers(2, 9)), data.draw(st.permutations(range(machines)))
    public = {"machines": machines, "routes": routes, "times": times}
    longer = {**public, "times": [[factor * time for time in row] for row in times]}
    renamed = {**public, "routes": [[names[machine] for machine in route] for route in routes]}
    for problem, name in (
        (job_shop_rule(), data.draw(st.sampled_from([f"active-{rule}" for rule in RULES]))),
        (job_shop_rule("non-delay"), data.draw(st.sampled_from([f"non-delay-{rule}" for rule in RULES]))),
        (blocking_job_shop_rule(), data.draw(st.sampled_from(list(BLOCKING_RULES)))),
    ):
        starts = _drive(problem, problem.baselines()[name], public)
        assert judge(public, starts, blocking=problem.blocking).objective is not None
        assert _drive(problem, problem.baselines()[name], longer) == [[factor * s for s in r] for r in starts]
        assert _drive(problem, problem.baselines()[name], renamed) == starts


def _drive(problem: Any, source: str, public: Any) -> Any:
    scope: dict[str, Any] = {}
    exec(source, scope)
    loop: dict[str, Any] = {}
    exec(problem.driver, loop)
    return loop["drive"](scope["priority"], public)


def drive(problem: Any, rule: Any, public: Any) -> Any:
    """Start times by a rule that is a function."""
    loop: dict[str, Any] = {}
    exec(problem.driver, loop)
    return loop["drive"](rule, public)


@pytest.mark.parametrize("problem", [job_shop_rule(), blocking_job_shop_rule()], ids=lambda p: p.name)
def test_a_rule_may_answer_anything_of_the_right_length(problem: Any, shops: Any) -> None:
    """NaN and infinities, changed arrays: always a valid schedule; a wrong shape is named."""

    def nan(**columns: Any) -> Any:
        return columns["processing"] * np.nan

    def infinite(**columns: Any) -> Any:
        return np.full(len(columns["processing"]), np.inf)

    def vandal(**columns: Any) -> Any:
        priority = -columns["processing"].copy()
        for column in columns.values():
            if isinstance(column, np.ndarray):
                column[:] = -1e9
        return priority

    for public in shops(20, 5, 3, 9, seed=4):
        for rule in (nan, infinite, vandal):
            starts = drive(problem, rule, public)
            assert judge(public, starts, blocking=problem.blocking).objective is not None
    with pytest.raises(ValueError, match="expected"):
        drive(problem, lambda **columns: 1.0, HAND)


def test_the_columns_say_what_the_statement_says(run: Any) -> None:
    """The first call on the hand-made shop: jobs 0 and 2 compete for machine 0, job 1 has been scheduled."""
    calls: list[dict[str, Any]] = []

    def rule(**columns: Any) -> Any:
        calls.append(columns)
        return columns["processing"]

    drive(job_shop_rule(), rule, HAND)
    plain = {name: value if isinstance(value, float) else value.tolist() for name, value in calls[0].items()}
    assert plain == {
        "start": [0, 0],
        "processing": [3, 2],
        "work_left": [5, 8],
        "operations_left": [2, 2],
        "work_done": [0, 0],
        "job_ready": [0, 0],
        "next_processing": [2, 6],
        "next_machine_free": [2, 2],
        "next_machine_work": [8, 8],
        "route_work": [8, 8],
        "machine_work": 9.0,
        "progress": pytest.approx(1 / 6),
        "mean_processing": pytest.approx(19 / 6),
    }


def test_a_circle_of_waiting_jobs_swaps(run: Any) -> None:
    """Both jobs begin at 0 and exchange their machines at 2."""
    problem = blocking_job_shop_rule()
    assert run(problem, problem.baselines()["spt"], SWAP) == [[0, 2], [0, 2]]


def test_infinity_keeps_a_job_out_while_another_works() -> None:
    """One job after the other; without anything in process somebody begins all the same."""
    problem = blocking_job_shop_rule()

    def alone(**columns: Any) -> Any:
        return np.where(columns["begun"] > 0, 0.0, np.inf)

    assert drive(problem, alone, SWAP) == [[0, 2], [4, 6]]


def test_random_rules_never_come_to_a_standstill(shops: Any) -> None:
    """Random numbers and refusals: hundreds of blocking schedules, all feasible."""
    stream = np.random.default_rng(5)

    def rule(**columns: Any) -> Any:
        numbers = stream.random(len(columns["processing"]))
        return np.where(numbers < 0.3, np.inf, numbers)

    problem = blocking_job_shop_rule()
    for public in shops(150, 6, 3, 5, seed=6):
        assert judge(public, drive(problem, rule, public), blocking=True).objective is not None
