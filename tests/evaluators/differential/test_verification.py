"""Verdicts on drawn answers, good and bad, against judges that try every pair and every moment."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

from gapsmith.problems.base import VerdictStatus
from gapsmith.problems.memory import verification as memory


def _buffers(stream: random.Random) -> list[list[int]]:
    rows = []
    for _ in range(stream.randint(1, 6)):
        start = stream.randint(0, 8)
        rows.append([start, start + stream.randint(1, 5), stream.randint(1, 6)])
    return rows


def test_offsets_that_share_memory(stream: random.Random) -> None:
    """An answer is valid iff no pair shares a moment and a unit; the peak is the highest end."""
    found = set()
    for _ in range(150):
        buffers = _buffers(stream)
        offsets = [stream.randint(0, 14) for _ in buffers]
        shared = [
            pair
            for pair in combinations(range(len(buffers)), 2)
            if set(range(*buffers[pair[0]][:2])) & set(range(*buffers[pair[1]][:2]))
            and {offsets[pair[0]] + unit for unit in range(buffers[pair[0]][2])}
            & {offsets[pair[1]] + unit for unit in range(buffers[pair[1]][2])}
        ]
        verdict = memory.judge({"buffers": buffers}, offsets)
        assert (verdict.status is VerdictStatus.VALID) == (not shared)
        pair: Any = memory.overlap(buffers, offsets)
        assert (pair is None) == (not shared)
        assert pair is None or tuple(sorted(pair)) in shared
        if not shared:
            assert verdict.objective == max(o + row[2] for o, row in zip(offsets, buffers, strict=True))
        found.add(bool(shared))
    assert found == {False, True}


def test_loads_of_every_moment(stream: random.Random) -> None:
    """The load of each moment is the sum of the buffers alive then, and the bound the largest."""
    for _ in range(30):
        buffers = _buffers(stream)
        alive = [sum(size for start, end, size in buffers if start <= t < end) for t in range(20)]
        assert memory.largest_load(buffers) == max(alive)
        for moment, load in memory.loads(buffers):
            assert load == alive[moment]
