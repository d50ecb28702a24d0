"""Compares arms by time: the best program of each time class, and one number for a whole front.

Everything is on validation, from recorded CPU seconds, at the budget of the comparison. The seconds of a run
are scaled by the pace of its machine, relative to the first run's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...evaluators.scoring import normalised_loss
from ...evaluators.statistics import paired
from ...evolve.timing import CLASSES, edge, time_class
from ..record.champions import SPLIT, Timed, timed_programs
from ..record.record import RunRecord
from ..record.tracks import Track

_LEAST = CLASSES[0]
"""Time below which programs cannot be told apart (CPU seconds)."""
_LIMIT = 2.0
"""CPU limit of a run whose configuration does not say it (CPU seconds)."""


@dataclass(frozen=True, slots=True)
class Front:
    """The programs of one run with their CPU times and losses, of which some are best at their time.

    Attributes:
        programs: validated candidates within the budget, founders included.
        losses: program → instance → loss on validation (percent).
        start_loss: mean loss of the start program there (percent); None if it is not valid.
        limit: CPU seconds that an execution may take.
    """

    programs: tuple[Timed, ...]
    losses: Mapping[str, Mapping[str, float]]
    start_loss: float | None
    limit: float

    @classmethod
    def of(cls, track: Track, by: str, budget: float, pace: float | None) -> Front:
        """The front of a run.

        Args:
            track: of the run.
            by, budget: what is equal, and how much of it counts.
            pace: of the first run's machine (CPU seconds of a fixed loop); None if not known.
        """
        record = track.record
        own = pace_of(record)
        factor = pace / own if pace and own else 1.0
        programs = tuple(
            replace(one, seconds=factor * one.seconds)
            for one in timed_programs(record.reader, baselines=False)
            if (spent := track.spent.get(one.program)) is not None
            and (amount := spent.of(by)) is not None
            and amount <= budget
        )
        losses = {one.program: _losses(record, one) for one in programs}
        start = losses.get(record.start or "")
        limit = (record.config.get("sandbox") or {}).get("cpu_seconds") or _LIMIT
        mean = None if start is None else sum(start.values()) / len(start)
        return cls(programs, losses, mean, float(limit))

    def best(self, seconds: float) -> Timed | None:
        """The best program within a time (CPU seconds); None if none is that fast."""
        quick = [one for one in self.programs if one.seconds <= seconds]
        return max(quick, key=lambda one: (one.fitness, -one.seconds, one.program), default=None)

    def hypervolume(self) -> float | None:
        """Share of the area of (log time, loss) that the programs dominate (ratio, 0 to 1; larger is better).

        The reference point is the start program's loss at the CPU limit: 0 is no better than the start
        program at any time, 1 is no loss in the fastest class (Zitzler and Thiele 1998,
        doi:10.1007/BFb0056872). None where the start program is not valid or has no loss.
        """
        if not self.start_loss or self.limit <= _LEAST:
            return None
        points = sorted((self._place(one.seconds), -100 * one.fitness) for one in self.programs)
        area, gain, last = 0.0, 0.0, 0.0
        for place, loss in points:
            area += gain * (place - last)
            last, gain = place, max(gain, 1 - loss / self.start_loss)
        return area + gain * (1.0 - last)

    def _place(self, seconds: float) -> float:
        """Place of a time on the logarithmic axis from the fastest class (0) to the CPU limit (1)."""
        place = math.log(max(seconds, _LEAST) / _LEAST) / math.log(self.limit / _LEAST)
        return min(1.0, place)


def fronts(arms: Sequence[Sequence[Track]], by: str, budget: float) -> list[list[Front]]:
    """The fronts of all runs, arm by arm."""
    pace = pace_of(arms[0][0].record)
    return [[Front.of(track, by, budget, pace) for track in arm] for arm in arms]


def pace_of(record: RunRecord) -> float | None:
    """CPU seconds of a fixed loop on the machine of a run; None in a run that did not measure it."""
    return (record.reader.record("timing") or {}).get("pace_seconds")


def mean_hypervolume(arm: Sequence[Front]) -> float | None:
    """Mean over the runs of an arm; None if a run has none."""
    volumes = [volume for front in arm if (volume := front.hypervolume()) is not None]
    return sum(volumes) / len(volumes) if len(volumes) == len(arm) else None


def by_class(first: Sequence[Front], second: Sequence[Front]) -> list[dict[str, Any]]:
    """Compares two arms in each time class, paired by instance, each value a mean over the arm's runs.

    Left out are classes in which neither arm has a new program, and classes within which a run has none. The
    p values are corrected for the number of classes (Holm 1979).
    """
    numbers = sorted({time_class(one.seconds) for front in (*first, *second) for one in front.programs})
    rows: list[dict[str, Any]] = []
    before: tuple[list[str], ...] = ()
    for number in numbers:
        limit = edge(number)
        bests = [[front.best(limit or math.inf) for front in arm] for arm in (first, second)]
        chosen = tuple([one.program for one in arm if one is not None] for arm in bests)
        if any(one is None for arm in bests for one in arm) or chosen == before:
            continue
        before = chosen
        mine, theirs = (_mean_losses(arm, ids) for arm, ids in zip((first, second), chosen, strict=True))
        result = paired(mine, theirs)
        rows.append(
            {
                "time_class_seconds": limit,
                "a_loss_percent": sum(mine) / len(mine),
                "b_loss_percent": sum(theirs) / len(theirs),
                "difference_percent": result.difference,
                "p_value": result.p_value,
            }
        )
    return _with_holm(rows)


def _with_holm(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows with `p_value_holm`: smallest p value times the number of rows, and so on, never falling."""
    ranked = sorted(
        (row for row in rows if row["p_value"] is not None), key=lambda row: float(row["p_value"])
    )
    least = 0.0
    for rank, row in enumerate(ranked):
        least = max(least, min(1.0, row["p_value"] * (len(ranked) - rank)))
        row["p_value_holm"] = least
    return [{"p_value_holm": None, **row} for row in rows]


def _mean_losses(arm: Sequence[Front], programs: Sequence[str]) -> list[float]:
    """Losses by instance (percent), mean over the runs of an arm."""
    runs = [front.losses[program] for front, program in zip(arm, programs, strict=True)]
    return [sum(losses[id] for losses in runs) / len(runs) for id in sorted(runs[0])]


def _losses(record: RunRecord, one: Timed) -> dict[str, float]:
    instances = record.instances
    return {
        score.instance: 100 * (normalised_loss(score, instances[score.instance]) or 0.0)
        for score in one.evaluation.scores
        if instances[score.instance].split == SPLIT
    }
