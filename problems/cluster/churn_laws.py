"""Random streams of jobs that end: lives as in public clouds, a daily wave, bursts of jobs that are alike."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ..strata import Cell, Draw
from .laws import CPU, MEMORY, draw_jobs, mean_weight, reordered, scale

MACHINES = 36
_ARRIVALS = 1_000
"""Jobs that arrive after the start, expected."""
_LOAD = (1.00, 1.10)
"""Offered weight as a share of the fleet's, least and largest."""
_DAY = 1_440
_WAVE = 0.3
_BURSTS = 0.15
_BURST = (2, 8)
_NOISE = 0.7
"""Standard deviation of the logarithm of told over true durations."""
_MIXED = (0.45, 0.35, 0.20)
_SKEWED = (0.70, 0.0, 0.30)


@dataclass(frozen=True, slots=True)
class Lives:
    """A mixture of log-normal lives: (share, mean, standard deviation) of the logarithm of minutes."""

    parts: tuple[tuple[float, float, float], ...]

    def mean(self) -> float:
        """Mean life, minutes."""
        return sum(share * math.exp(mean + deviation**2 / 2) for share, mean, deviation in self.parts)

    def draw(self, stream: random.Random) -> float:
        """Life of a job that arrives, minutes."""
        _, mean, deviation = stream.choices(self.parts, [part[0] for part in self.parts])[0]
        return stream.lognormvariate(mean, deviation)

    def draw_live(self, stream: random.Random) -> float:
        """Life of a job that is met alive at a random moment: long lives are met more often."""
        shares = [share * math.exp(mean + deviation**2 / 2) for share, mean, deviation in self.parts]
        _, mean, deviation = stream.choices(self.parts, shares)[0]
        return stream.lognormvariate(mean + deviation**2, deviation)


_CLOUD = Lives(((0.5, 3.0, 0.9), (0.35, 5.5, 0.9), (0.15, 7.9, 0.8)))
_LAWS = {
    "cloud": (_CLOUD, _MIXED),
    "short": (Lives(((1.0, 5.0, 0.6),)), _MIXED),
    "heavy": (Lives(((0.8, 3.5, 1.0), (0.2, 8.5, 1.0))), _MIXED),
    "skewed": (_CLOUD, _SKEWED),
}


def cells(secret: str) -> tuple[Cell, ...]:
    """One stratum for each law of lives and sizes."""
    return tuple(Cell(name, partial(_draw, lives, mix, secret)) for name, (lives, mix) in _LAWS.items())


def _draw(lives: Lives, mix: tuple[float, float, float], secret: str, stream: random.Random) -> Draw:
    """Jobs that are alive at 0 and arrive there in random order, then arrivals until the horizon."""
    load = stream.uniform(*_LOAD)
    public = {"cpu": CPU, "memory": MEMORY, "free_cpu": [CPU] * MACHINES, "free_memory": [MEMORY] * MACHINES}
    alive = load * MACHINES * scale(public) / mean_weight(mix)
    rate = alive / lives.mean()
    horizon = max(2, round(_ARRIVALS / rate))
    first = [
        _job(0, lives.draw_live(stream) * (1 - stream.random()), job, stream)
        for job in draw_jobs(mix, round(alive), stream)
    ]
    if secret:
        first = reordered(first, secret, stream)
    later = [
        _job(moment, lives.draw(stream), job, stream) for moment, job in _arrivals(rate, horizon, mix, stream)
    ]
    return Draw({**public}, scale(public), {"horizon": horizon, "jobs": first + later})


def _job(moment: int, life: float, job: Sequence[int], stream: random.Random) -> list[int]:
    """[arrival, departure, cpu, memory, told duration]; minutes."""
    estimate = life * stream.lognormvariate(0, _NOISE)
    return [moment, moment + max(1, round(life)), job[0], job[1], max(1, round(estimate))]


def _arrivals(
    rate: float, horizon: int, mix: tuple[float, float, float], stream: random.Random
) -> list[tuple[int, tuple[int, int]]]:
    """Moment and size of each job after the start, by thinning a Poisson process."""
    size = 1 - _BURSTS + _BURSTS * sum(_BURST) / 2
    most = rate / size * (1 + _WAVE)
    clock, jobs = 0.0, list[tuple[int, tuple[int, int]]]()
    while True:
        clock += stream.expovariate(most)
        if clock >= horizon:
            return jobs
        if stream.random() * (1 + _WAVE) > 1 + _WAVE * math.sin(2 * math.pi * clock / _DAY):
            continue
        count = stream.randint(*_BURST) if stream.random() < _BURSTS else 1
        jobs += [(int(clock), job) for job in draw_jobs(mix, 1, stream) * count]
