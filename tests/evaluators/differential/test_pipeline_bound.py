"""The parts of the pipeline's bound against all rows of microbatch sizes."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

from gapsmith.evaluators.training.pipeline_bound import Profile, least_idle, lower_bound, work_of


def _unused(
    stages: int, leading: tuple[int, int], trailing: tuple[int, int], most: int, idle: int, reach: int
) -> int | None:
    """Fewest unused tiles of `reach` microbatches for which the idle ticks suffice, None without any."""
    fewest = None
    for sizes in product(range(1, most + 1), repeat=reach):
        for place, size in enumerate(sizes):
            before = sizes[max(0, place - stages + 1) : place]
            done = sum(trailing[0] + trailing[1] * k for k in before)
            if (stages - 1) * (leading[0] + leading[1] * size) - done > idle:
                break
        else:
            left = reach * most - sum(sizes)
            fewest = left if fewest is None else min(fewest, left)
    return fewest


def test_unused_tiles_of_first_microbatches(stream: random.Random) -> None:
    """For each idle time and number of microbatches, the fewest tiles that no size can use."""
    for _ in range(40):
        stages, most = stream.randint(2, 4), stream.randint(1, 3)
        leading = (stream.randint(0, 5), stream.randint(0, 5))
        trailing = (stream.randint(0, 5), stream.randint(0, 5))
        idle = stream.randint(0, 30)
        profile = Profile.of(stages, leading, trailing, most, idle)
        for reach in range(6):
            assert profile.unused(reach) == _unused(stages, leading, trailing, most, idle, reach)


def test_least_idle_of_two_rows(stream: random.Random) -> None:
    """The least sum of two places in falling rows, of all pairs."""
    for _ in range(60):
        rows: list[list[int | None]] = []
        for _ in range(2):
            falling = sorted((stream.randint(0, 12) for _ in range(stream.randint(1, 7))), reverse=True)
            rows.append([None] * stream.randint(0, 2) + list(falling))
        spare = stream.randint(0, 14)
        sums = [
            a + b
            for a, first in enumerate(rows[0])
            for b, second in enumerate(rows[1])
            if first is not None and second is not None and first + second <= spare
        ]
        assert least_idle(rows[0], rows[1], spare) == min(sums, default=None)


def _samples(stream: random.Random) -> dict[str, Any]:
    samples = [[stream.randint(0, 1), stream.randint(0, 1), stream.randint(1, 384)] for _ in range(6)]
    times = [stream.randint(0, 9), stream.randint(1, 9), stream.randint(0, 9), stream.randint(1, 9)]
    return {"stages": stream.randint(1, 4), "capacity": 384, "tile": 128, "times": times, "samples": samples}


def _bound(public: dict[str, Any]) -> int:
    """Busy and idle ticks of every number of microbatches and every pair of idle times."""
    stages, samples = public["stages"], public["samples"]
    f0, f1, b0, b1 = public["times"]
    most = public["capacity"] // public["tile"]
    tokens = {(a, b): sum(n for x, y, n in samples if (x, y) == (a, b)) for a, b, _ in samples}
    tiles = sum(-(-total // public["tile"]) for total in tokens.values())
    best = None
    for number in range(1, len(samples) + 1):
        if number * most < tiles:
            continue
        spare = number * most - tiles
        short = min(stages, number // 2)
        fills = f0 + f1 * most > b0 + b1 * most
        first, last = (number - short, short) if fills else (short, number - short)
        ends = [
            [
                profile.unused(reach)
                for idle in range((stages - 1) * (lead[0] + lead[1] * most) + 1)
                for profile in [Profile.of(stages, lead, trail, most, idle)]
            ]
            for lead, trail, reach in (((f0, f1), (b0, b1), first), ((b0, b1), (f0, f1), last))
        ]
        for before, one in enumerate(ends[0]):
            for after, other in enumerate(ends[1]):
                if one is not None and other is not None and one + other <= spare:
                    ticks = number * (f0 + b0) + tiles * (f1 + b1) + before + after
                    best = ticks if best is None else min(best, ticks)
                    break
    assert best is not None
    return best


def test_bounds_of_all_numbers_of_microbatches(stream: random.Random) -> None:
    """The bound is the least of all numbers of microbatches and of all idle times."""
    for _ in range(8):
        public = _samples(stream)
        work = work_of(public)
        assert (work.most, work.samples) == (3, 6)
        assert lower_bound(public) == _bound(public)
