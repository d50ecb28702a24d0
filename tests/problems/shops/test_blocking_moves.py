"""Moves of the blocking job shop: a job comes back to where it ends first, and descents reach optima."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from gapsmith.problems.shops import blocking_job_shop, job_shop_rule
from gapsmith.problems.shops.verification import horizon, judge


@pytest.fixture
def neighbours(run: Any) -> Any:
    """The class of moves on the answer of a classic rule."""
    problem = blocking_job_shop()
    moves = problem.moves()
    assert moves is not None
    names: dict[str, Any] = {}
    exec(moves.source, names)

    def start(public: Any, rule: str = "mwkr") -> Any:
        return names["Neighbours"](run(problem, problem.baselines()[rule], public), **public)

    return start


def every_way(times: list[int], latest: int, start: int = 0) -> Iterator[list[int]]:
    """All start times of one job up to a latest one."""
    if not times:
        yield []
        return
    for begin in range(start, latest + 1):
        for rest in every_way(times[1:], latest, begin + times[0]):
            yield [begin, *rest]


def test_a_job_comes_back_to_where_it_ends_first(shops: Any, neighbours: Any) -> None:
    """No other starts of the job end earlier beside the others: all starts of a small shop are tried."""
    for public in shops(25, 4, 3, 3, seed=7):
        moves = neighbours(public)
        for job in range(moves.size):
            rows: list[list[tuple[int, int]]] = [[] for _ in range(public["machines"])]
            answer = moves.answer()
            for other, starts in enumerate(answer):
                if other != job:
                    moves.hold(rows, other, starts)
            back = moves.back(rows, job)
            answer[job] = back
            assert judge(public, answer, blocking=True).objective is not None
            for starts in every_way(public["times"][job], min(back[-1] - 1, horizon(public))):
                answer[job] = starts
                assert judge(public, answer, blocking=True).objective is None, (public, job, starts)


def test_descents_reach_optima(shops: Any, neighbours: Any, solve: Any) -> None:
    """Of small shops most end at CP-SAT's optimum, none below it, from every rule's schedule."""
    reached = []
    for public in shops(12, 4, 3, 9, seed=8):
        moves, stream = neighbours(public, "fifo"), random.Random(1)
        for _ in range(600):
            change, move = moves.draw(stream.random)
            if move is not None and change <= 0:
                moves.make(move)
        verdict = judge(public, moves.answer(), blocking=True)
        assert verdict.objective == moves.value
        optimum = solve(public, blocking=True)[1]
        assert moves.value >= optimum
        reached.append(moves.value == optimum)
    assert sum(reached) >= 9, reached


def test_a_draw_changes_nothing(shops: Any, neighbours: Any) -> None:
    """Only `make` does; and rules hand over no moves."""
    assert job_shop_rule().moves() is None
    for public in shops(5, 5, 3, 9, seed=9):
        moves, stream = neighbours(public), random.Random(2)
        before = moves.answer()
        for _ in range(50):
            moves.draw(stream.random)
        assert moves.answer() == before
