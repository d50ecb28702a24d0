"""Random instances by the scheme of Potts and Van Wassenhove: strata, keyed streams, fixed sets."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..base import Instance

TIGHTNESS = (2, 4, 6, 8)
"""Tardiness factors TF of the strata, in tenths: the larger, the earlier the due dates."""
WEIGHTED_TIGHTNESS = (*TIGHTNESS, 10)
"""Those of OR-Library's weighted sets."""
RANGES = (2, 4, 6, 8, 10)
"""Relative ranges of due dates RDD of the strata, in tenths: the larger, the more they spread."""
LONGEST = 100
HEAVIEST = 10
_ATTEMPTS = 1_000


def strata(tightness: Sequence[int] = TIGHTNESS) -> tuple[tuple[int, int], ...]:
    """Pairs (RDD, TF) in tenths, ordered so that every prefix spreads over both as evenly as it can."""
    pairs = [(rdd, tf) for rdd in RANGES for tf in tightness]
    # Neighbours differ in both factors: a diagonal walk over the table, row length and stride coprime.
    return tuple(sorted(pairs, key=lambda pair: _turn(pair, tightness)))


def stratum_name(rdd: int, tf: int) -> str:
    """Name of a stratum from its factors in tenths (`rdd=0.2 tf=0.6`)."""
    return f"rdd={rdd / 10:.1f} tf={tf / 10:.1f}"


def draw_jobs(stream: random.Random, jobs: int, rdd: int, tf: int, weighted: bool = False) -> dict[str, Any]:
    """Public part of one instance: processing times 1 to 100, due dates ≥ 0, if asked weights 1 to 10.

    With P the sum of the processing times, due dates are uniform integers of the interval
    [P(1 − TF − RDD/2), P(1 − TF + RDD/2)]; negative ones become 0, which shifts every objective of the
    instance by the same amount (a job cannot end before 0). Potts and Van Wassenhove 1982,
    doi:10.1016/0167-6377(82)90035-9; the clipping is that of the weighted sets of OR-Library.

    Args:
        stream: source of randomness; only `random()` is used, whose values Python keeps for good.
        jobs: number of jobs, ≥ 1.
        rdd, tf: factors of the stratum, in tenths.
        weighted: whether jobs have weights.
    """
    times = [_uniform(stream, 1, LONGEST) for _ in range(jobs)]
    weights = [_uniform(stream, 1, HEAVIEST) for _ in range(jobs)] if weighted else None
    total = sum(times)
    low, high = due_range(total, rdd, tf)
    dates = [max(0, _uniform(stream, low, max(low, high))) for _ in range(jobs)]
    public: dict[str, Any] = {"processing_times": times, "due_dates": dates}
    return public if weights is None else {**public, "weights": weights}


def due_range(total: int, rdd: int, tf: int) -> tuple[int, int]:
    """Least and largest integer of a stratum's interval of due dates, before negative ones become 0.

    Args:
        total: sum of the processing times, time units.
        rdd, tf: factors of the stratum, in tenths.
    """
    return -(-total * (20 - 2 * tf - rdd) // 20), total * (20 - 2 * tf + rdd) // 20


def draw_set(
    label: str,
    seed: int,
    sizes: Sequence[int],
    rounds: int,
    *,
    weighted: bool = False,
    tightness: Sequence[int] = TIGHTNESS,
    taken: set[str] | None = None,
) -> Iterator[Instance]:
    """Instances of a set, one of every stratum and size in each of `rounds` rounds.

    Args:
        label: name of the set; sets of different names come from different streams.
        seed: any integer.
        sizes: numbers of jobs, ≥ 1; of several, the stratum's name tells which.
        rounds: instances per stratum, ≥ 1.
        weighted: whether jobs have weights.
        tightness: the strata's tardiness factors, in tenths.
        taken: digests that may not appear again; those of the set are added.

    Raises:
        ValueError: no new instance could be drawn (far too few jobs for so many instances).
    """
    taken = set() if taken is None else taken
    form = "smwtt" if weighted else "smtt"
    cells = [(*pair, jobs) for pair in strata(tightness) for jobs in sizes]
    for number, (rdd, tf, jobs) in enumerate(cells * rounds, 1):
        for attempt in range(_ATTEMPTS):
            stream = _stream(f"{form}/{label}/{seed}/{jobs}/{number}/{rdd}/{tf}/{attempt}")
            public = draw_jobs(stream, jobs, rdd, tf, weighted)
            instance = Instance(
                id=f"{label}-{number:03d}",
                split=label,
                stratum=("" if len(sizes) == 1 else f"n={jobs} ") + stratum_name(rdd, tf),
                public=public,
                scale=scale(public),
                source=f"Potts-Van Wassenhove scheme, set {label}, seed {seed}",
            )
            if instance.digest not in taken:
                break
        else:
            raise ValueError(
                f"set {label}: got no new instance of {jobs} jobs in {_ATTEMPTS} draws, expected all sets to "
                "be disjoint; use more jobs or fewer instances per stratum"
            )
        taken.add(instance.digest)
        yield instance


def scale(public: Mapping[str, Any]) -> Fraction:
    """Mean processing time, or mean of weight × processing time: the cost of one job that waits for one."""
    times = public["processing_times"]
    weights = public.get("weights") or [1] * len(times)
    return Fraction(sum(w * p for w, p in zip(weights, times, strict=True)), len(times))


def disjoint(sets: Iterable[Sequence[Instance]]) -> bool:
    """Whether no digest appears twice, within or between the sets."""
    digests = [instance.digest for instances in sets for instance in instances]
    return len(digests) == len(set(digests))


def _turn(pair: tuple[int, int], tightness: Sequence[int]) -> int:
    row, column = RANGES.index(pair[0]), list(tightness).index(pair[1])
    size = len(RANGES) * len(tightness)
    if len(tightness) % len(
        RANGES
    ):  # 5 x 4: step i visits row i mod 5 and column i mod 4 (Chinese remainders)
        return next(i for i in range(size) if i % len(RANGES) == row and i % len(tightness) == column)
    return (row - column) % len(RANGES) * len(RANGES) + row  # 5 x 5: one broken diagonal after the other


def _stream(key: str) -> random.Random:
    return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest(), "big"))


def _uniform(stream: random.Random, low: int, high: int) -> int:
    """Uniform integer of [low, high] from one `random()`."""
    return low + int(stream.random() * (high - low + 1))
