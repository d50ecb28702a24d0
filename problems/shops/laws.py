"""Random job shops: how routes and processing times are drawn, and which strata the splits have."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..strata import Cell, Draw

Times = Callable[[random.Random, list[list[int]]], list[list[int]]]
"""From the routes to the processing times (time units, ≥ 1)."""


def uniform(stream: random.Random, routes: list[list[int]]) -> list[list[int]]:
    """Uniform from 1 to 99."""
    return [[stream.randint(1, 99) for _ in route] for route in routes]


def bimodal(stream: random.Random, routes: list[list[int]]) -> list[list[int]]:
    """Seven in ten uniform from 1 to 20, the others from 60 to 99."""
    return [
        [stream.randint(1, 20) if stream.random() < 0.7 else stream.randint(60, 99) for _ in route]
        for route in routes
    ]


def by_machine(stream: random.Random, routes: list[list[int]]) -> list[list[int]]:
    """A base of each machine, uniform from 1 to 60, and uniform from 0 to 39 on top."""
    base = [stream.randint(1, 60) for _ in range(max(map(max, routes)) + 1)]
    return [[base[machine] + stream.randint(0, 39) for machine in route] for route in routes]


def draw(jobs: int, machines: int, times: Times, stages: int, stream: random.Random) -> Draw:
    """One shop: each job visits every machine once, the machines of one stage before those of the next."""
    size = -(-machines // stages)
    parts = [range(first, min(first + size, machines)) for first in range(0, machines, size)]
    routes = [[machine for part in parts for machine in stream.sample(part, len(part))] for _ in range(jobs)]
    public = {"machines": machines, "routes": routes, "times": times(stream, routes)}
    return Draw(public, scale(public))


def scale(public: Mapping[str, Any]) -> int:
    """The larger of the longest job and the largest load of a machine: no makespan is below it."""
    loads = [0] * public["machines"]
    for route, times in zip(public["routes"], public["times"], strict=True):
        for machine, time in zip(route, times, strict=True):
            loads[machine] += time
    return max(*loads, *map(sum, public["times"]))


def _cell(jobs: int, machines: int, name: str, times: Times = uniform, stages: int = 1) -> Cell:
    return Cell(f"{jobs}x{machines} {name}", partial(draw, jobs, machines, times, stages))


BUFFERED = (
    _cell(8, 6, "two-stage", stages=2),
    _cell(10, 10, "uniform"),
    _cell(10, 10, "bimodal", bimodal),
    _cell(10, 10, "machine", by_machine),
    _cell(12, 10, "uniform"),
)
"""Strata of the job shop: sizes that CP-SAT proves in seconds and that simple rules do not solve."""

BLOCKING = (_cell(6, 6, "uniform"), _cell(7, 5, "uniform"), _cell(8, 5, "uniform"))
"""Strata of the blocking job shop; from 8 jobs on 8 machines up no bound is tight."""
