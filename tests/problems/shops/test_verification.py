"""Verification: hand-made schedules, exact limits, hostile answers."""

from __future__ import annotations

from typing import Any

import pytest
from gapsmith.problems.base import Instance, VerdictStatus
from gapsmith.problems.shops import blocking_job_shop, job_shop
from gapsmith.problems.shops.gantt import chain
from gapsmith.problems.shops.verification import judge

SHOP = {"machines": 2, "routes": [[0, 1], [1, 0], [0, 1]], "times": [[3, 2], [2, 4], [2, 6]]}
SWAP = {"machines": 2, "routes": [[0, 1], [1, 0]], "times": [[2, 2], [2, 2]]}


@pytest.mark.parametrize(
    ("starts", "makespan"), [([[2, 5], [0, 5], [0, 7]], 13), ([[2, 8], [0, 5], [0, 2]], 10)]
)
def test_a_schedule_by_hand_has_its_makespan(starts: Any, makespan: int) -> None:
    """Two schedules worked out on paper."""
    assert judge(SHOP, starts).objective == makespan


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        ([[2, 4], [0, 5], [0, 7]], "job 0: operation 1 starts at 4, but operation 0 ends at 5"),
        ([[1, 5], [0, 5], [0, 7]], "machine 0: operation 0 of job 0 starts at 1"),
        ([[2, 5], [0, 4], [0, 7]], "machine 0: operation 1 of job 1 starts at 4"),
    ],
)
def test_what_overlaps_is_infeasible(starts: Any, words: str) -> None:
    """The violation names job or machine, both operations and both times."""
    verdict = judge(SHOP, starts)
    assert verdict.status is VerdictStatus.INFEASIBLE
    assert words in verdict.violations[0]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        [[2, 5], [0, 5]],
        [[2, 5], [0, 5], [0]],
        [[2, 5], [0, 5], [0, True]],
        [[2, 5], [0, 5], [0, 7.0]],
        [[2, 5], [0, 5], [-1, 7]],
        [[2, 5], [0, 5], [0, 20]],
        [[2, 5], [0, 5], [0, 10**300]],
        {"0": [2, 5]},
    ],
)
def test_what_is_no_list_of_start_times_is_invalid(answer: Any) -> None:
    """Shape, type and range come before feasibility; 20 is later than all work, 19 time units."""
    assert judge(SHOP, answer).status is VerdictStatus.INVALID_ANSWER


def test_without_buffers_a_job_holds_its_machine() -> None:
    """A swap at one moment is feasible; a job that stays keeps others away; with buffers neither matters."""
    assert judge(SWAP, [[0, 2], [0, 2]], blocking=True).objective == 4
    late = [[0, 4], [2, 4]]
    assert judge(SWAP, late).objective == 6
    assert judge(SWAP, late, blocking=True).objective == 6
    blocked = judge(SHOP, [[2, 8], [0, 5], [0, 2]], blocking=True)
    assert blocked.status is VerdictStatus.INFEASIBLE
    assert "holds the machine until 8" in blocked.violations[0]


def test_every_blocking_schedule_is_one_with_buffers(shops: Any, run: Any) -> None:
    """The same makespan, judged as a job shop."""
    problem = blocking_job_shop()
    for public in shops(30, 4, 3, 9, seed=3):
        starts = run(problem, problem.baselines()["mwkr"], public)
        value = judge(public, starts, blocking=True).objective
        assert value is not None
        assert judge(public, starts).objective == value


def test_a_chart_has_every_operation_once_and_a_chain_to_the_makespan() -> None:
    """Rectangles are operations; the critical ones last as long as the makespan; an invalid answer raises."""
    problem, starts = job_shop(), [[2, 5], [0, 5], [0, 7]]
    instance = Instance("i", "i", "i", SHOP, 1, "by hand")
    drawing = problem.draw(instance, starts)  # type: ignore[arg-type]
    assert sorted(shape.text for shape in drawing.shapes) == sorted("001122")
    assert sum(s.width for s in drawing.shapes if s.group == "critical operation") == 13
    assert chain(SHOP["routes"], SHOP["times"], starts) == {(2, 1), (0, 1), (0, 0), (2, 0)}  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="instance i"):
        problem.draw(instance, [[0]])


def test_a_held_machine_is_drawn() -> None:
    """Without buffers the time between end and departure is a shape of its own."""
    instance = Instance("i", "i", "i", SWAP, 1, "by hand")
    drawing = blocking_job_shop().draw(instance, [[0, 4], [2, 4]])
    held = [(s.x, s.width) for s in drawing.shapes if s.group == "machine held"]
    assert held == [(2, 2)]
