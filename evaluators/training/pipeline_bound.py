"""A lower bound on the makespan of a 1F1B pipeline by arithmetic.

`docs/explanation/pipeline-bound.md` has the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PipelineWork:
    """What every answer has to process.

    Attributes:
        tiles: at least this many tiles are in the microbatches of any answer.
        most: tiles of one microbatch.
        samples: there are at most this many microbatches.
    """

    tiles: int
    most: int
    samples: int


def work_of(public: Mapping[str, Any]) -> PipelineWork:
    """Tiles of each (adapter, batch): its tokens rounded up once, and rounding up is subadditive."""
    tokens: dict[tuple[int, int], int] = {}
    for adapter, batch, length in public["samples"]:
        tokens[adapter, batch] = tokens.get((adapter, batch), 0) + length
    tiles = sum(-(-total // public["tile"]) for total in tokens.values())
    return PipelineWork(tiles, public["capacity"] // public["tile"], len(public["samples"]))


def lower_bound(public: Mapping[str, Any]) -> int:
    """Ticks that no answer can undercut."""
    work = work_of(public)
    stages = public["stages"]
    f0, f1, b0, b1 = public["times"]
    filling = [Profile.of(stages, (f0, f1), (b0, b1), work.most, i) for i in _idle(stages, f0, f1, work)]
    draining = [Profile.of(stages, (b0, b1), (f0, f1), work.most, i) for i in _idle(stages, b0, b1, work)]
    filling_is_long = f0 + f1 * work.most > b0 + b1 * work.most
    least = (stages - 1) * (f0 + f1 + b0 + b1)
    best: int | None = None
    for number in range(-(-work.tiles // work.most), work.samples + 1):
        busy = number * (f0 + b0) + work.tiles * (f1 + b1)
        if best is not None and busy + least >= best:
            break
        short = min(stages, number // 2)
        first, last = (number - short, short) if filling_is_long else (short, number - short)
        spare = number * work.most - work.tiles
        idle = least_idle([p.unused(first) for p in filling], [p.unused(last) for p in draining], spare)
        if idle is not None and (best is None or busy + idle < best):
            best = busy + idle
    assert best is not None
    return best


def _idle(stages: int, fixed: int, per_tile: int, work: PipelineWork) -> range:
    """Idle ticks from none to as many as let every microbatch be full."""
    return range((stages - 1) * (fixed + per_tile * work.most) + 1)


@dataclass(frozen=True, slots=True)
class Profile:
    """Fewest tiles left unused in the first microbatches if the last stage idles at most so long before them.

    The last stage idles at least (stages − 1)·f_j − (b of the up to stages − 1 microbatches before j) ticks
    before it starts microbatch j, for every j. Taking each microbatch as large as the idle time allows is
    best: larger ones allow larger ones after them, so the sizes never fall and soon stay the same. The same
    holds from the end with f and b exchanged.

    Attributes:
        totals: [j] → tiles unused in the first j microbatches.
        each: tiles unused in every microbatch after those; None if there can be no more.
    """

    totals: tuple[int, ...]
    each: int | None

    @classmethod
    def of(
        cls, stages: int, leading: tuple[int, int], trailing: tuple[int, int], most: int, idle: int
    ) -> Profile:
        """The profile for an idle time.

        Args:
            stages: of the pipeline.
            leading: fixed ticks, and ticks per tile, of f.
            trailing: the same of b.
            most: tiles of a full microbatch.
            idle: ticks, at most.
        """
        sizes: list[int] = []
        totals = [0]
        while len(sizes) < stages or sizes[-1] != sizes[-stages]:
            recent = sizes[max(0, len(sizes) - stages + 1) :]
            before = sum(trailing[0] + trailing[1] * k for k in recent)
            size = _largest(stages - 1, leading, most, idle + before)
            if size < 1:
                return cls(tuple(totals), None)
            sizes.append(size)
            totals.append(totals[-1] + most - size)
        return cls(tuple(totals), most - sizes[-1])

    def unused(self, reach: int) -> int | None:
        """Tiles unused in the first `reach` microbatches, None if there cannot be so many."""
        more = reach - len(self.totals) + 1
        if more <= 0:
            return self.totals[reach]
        return None if self.each is None else self.totals[-1] + more * self.each


def _largest(factor: int, times: tuple[int, int], most: int, allowed: int) -> int:
    """Most tiles k ≤ `most` with factor · (times[0] + times[1] · k) ≤ allowed; below 1 if there are none."""
    slack = allowed - factor * times[0]
    step = factor * times[1]
    if step == 0:
        return most if slack >= 0 else 0
    return min(most, slack // step)


def least_idle(filling: Sequence[int | None], draining: Sequence[int | None], spare: int) -> int | None:
    """Least sum of idle ticks before and after, with at most `spare` tiles unused; None if there is none.

    Both rows fall (where they are not None) as the idle time grows.
    """
    best: int | None = None
    after = len(draining) - 1
    for before, unused in enumerate(filling):
        if unused is None or (last := draining[after]) is None or unused + last > spare:
            continue
        while after and (less := draining[after - 1]) is not None and unused + less <= spare:
            after -= 1
        if best is None or before + after < best:
            best = before + after
    return best
