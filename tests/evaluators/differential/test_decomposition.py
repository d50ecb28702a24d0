"""Total tardiness by decomposition against all orders, with numbers so small that many jobs are alike."""

from __future__ import annotations

import random

from gapsmith.evaluators.smtt.decomposition import Decomposition


def _least(times: list[int], dates: list[int]) -> int:
    """Least total tardiness: the cheapest last job of each set."""
    best = [0]
    for members in range(1, 1 << len(times)):
        inside = [j for j in range(len(times)) if members >> j & 1]
        end = sum(times[j] for j in inside)
        best.append(min(best[members ^ (1 << j)] + max(0, end - dates[j]) for j in inside))
    return best[-1]


def test_tardiness_of_few_jobs(stream: random.Random) -> None:
    """The value is the least of all orders, and the sequence attains it."""
    for number in range(120):
        jobs = stream.randint(1, 8)
        largest = (3, 12, 40)[number % 3]
        times = [stream.randint(1, largest) for _ in range(jobs)]
        total = sum(times)
        first = round(total * stream.choice((-0.1, 0.0, 0.2, 0.4)))
        dates = [stream.randint(first, first + round(total * stream.choice((0.3, 0.6, 0.9)))) for _ in times]
        least = _least(times, dates)
        assert Decomposition(times, dates).value() == least
        order = Decomposition(times, dates).sequence()
        assert sorted(order) == list(range(jobs))
        clock = cost = 0
        for job in order:
            clock += times[job]
            cost += max(0, clock - dates[job])
        assert cost == least


def test_tardiness_of_more_jobs(stream: random.Random) -> None:
    """Eleven jobs, where places are left out and subproblems met again."""
    for spread in (0.2, 0.6):
        times = [stream.randint(1, 20) for _ in range(11)]
        middle = 0.4 * sum(times)
        dates = [round(middle + spread * sum(times) * (stream.random() - 0.5)) for _ in times]
        assert Decomposition(times, dates).value() == _least(times, dates)
