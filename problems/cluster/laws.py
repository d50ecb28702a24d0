"""Random fleets: sizes of jobs, a snapshot of partly full machines, and a queue that nearly fills them."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, pairwise
from typing import Any

from ..strata import Cell, Draw

CPU, MEMORY = 64, 256
"""Cores and GiB of every machine."""
_SERIES = {
    "F": [(1 << k, 2 << k) for k in range(6)],
    "D": [(1 << k, 4 << k) for k in range(6)],
    "E": [(2, 16), (4, 32), (8, 64), (16, 128), (20, 160)],
}
"""Series with 2, 4 and 8 GiB a core: (cores, GiB) of each size."""
_SIZES = (0.30, 0.30, 0.20, 0.12, 0.06, 0.02)
"""Weights of the sizes of a series, from the smallest."""
_MIXED = (0.45, 0.35, 0.20)
_PACKED = 40
"""Jobs that are offered to each machine before the snapshot."""


@dataclass(frozen=True, slots=True)
class FleetLaw:
    """How a fleet is drawn.

    Attributes:
        machines: number of machines.
        mix: shares of the series F, D and E.
        keep: least and largest probability with which a machine's jobs are still there; None for empty
            machines.
    """

    machines: int
    mix: tuple[float, float, float]
    keep: tuple[float, float] | None


LAWS = {
    "mixed": FleetLaw(40, _MIXED, (0.2, 0.8)),
    "skewed": FleetLaw(40, (0.65, 0.05, 0.30), (0.2, 0.8)),
    "crowded": FleetLaw(90, _MIXED, (0.6, 0.95)),
    "empty": FleetLaw(24, _MIXED, None),
}
LARGE = {
    "mixed-160": FleetLaw(160, _MIXED, (0.2, 0.8)),
    "skewed-160": FleetLaw(160, (0.65, 0.05, 0.30), (0.2, 0.8)),
}


def cells(laws: Mapping[str, FleetLaw], secret: str) -> tuple[Cell, ...]:
    """One stratum for each law."""
    return tuple(Cell(name, partial(_draw, law, secret)) for name, law in laws.items())


@cache
def _catalogue(mix: tuple[float, float, float]) -> tuple[list[tuple[int, int]], list[float]]:
    """All sizes of jobs, and their accumulated probabilities."""
    jobs, chances = [], []
    for share, series in zip(mix, _SERIES.values(), strict=True):
        weights = _SIZES[: len(series)]
        jobs += series
        chances += [share * weight / sum(weights) for weight in weights]
    return jobs, list(accumulate(chances))


def draw_jobs(mix: tuple[float, float, float], count: int, stream: random.Random) -> list[tuple[int, int]]:
    """(cores, GiB) of so many jobs."""
    jobs, chances = _catalogue(mix)
    return stream.choices(jobs, cum_weights=chances, k=count)


def mean_weight(mix: tuple[float, float, float]) -> float:
    """Mean weight of a job."""
    jobs, chances = _catalogue(mix)
    shares = [after - before for before, after in pairwise([0.0, *chances])]
    return sum(
        share * (cpu * MEMORY + memory * CPU) for share, (cpu, memory) in zip(shares, jobs, strict=True)
    )


def _draw(law: FleetLaw, secret: str, stream: random.Random) -> Draw:
    """A snapshot, and a queue that ends before a job whose cpu or memory is more than the fleet has left."""
    rooms = [_room(law, stream) for _ in range(law.machines)]
    free_cpu, free_memory = [cpu for cpu, _ in rooms], [memory for _, memory in rooms]
    cpu, memory = sum(free_cpu), sum(free_memory)
    queue: list[list[int]] = []
    while True:
        (job,) = draw_jobs(law.mix, 1, stream)
        cpu, memory = cpu - job[0], memory - job[1]
        if cpu < 0 or memory < 0:
            break
        queue.append(list(job))
    public = {"cpu": CPU, "memory": MEMORY, "free_cpu": free_cpu, "free_memory": free_memory}
    return Draw(public, scale(public), {"jobs": reordered(queue, secret, stream) if secret else queue})


def scale(public: Mapping[str, Any]) -> int:
    """Weight of a whole machine."""
    return int(2 * public["cpu"] * public["memory"])


def _room(law: FleetLaw, stream: random.Random) -> tuple[int, int]:
    """Free cores and GiB of a machine that was packed and then lost some of its jobs."""
    cpu, memory = CPU, MEMORY
    if law.keep is None:
        return cpu, memory
    held = []
    for job in draw_jobs(law.mix, _PACKED, stream):
        if job[0] <= cpu and job[1] <= memory:
            cpu, memory = cpu - job[0], memory - job[1]
            held.append(job)
    stays = stream.uniform(*law.keep)
    gone = [job for job in held if stream.random() >= stays]
    return cpu + sum(job[0] for job in gone), memory + sum(job[1] for job in gone)


def reordered(queue: list[list[int]], secret: str, stream: random.Random) -> list[list[int]]:
    """The same jobs in an order that follows from the secret, by SHA-256 of key and place.

    The state of a generator can be worked out from enough of its values in a row, and then what comes next.
    """
    key = f"{secret}/{stream.getrandbits(64)}"
    places = sorted(range(len(queue)), key=lambda k: hashlib.sha256(f"{key}/{k}".encode()).digest())
    return [queue[place] for place in places]
