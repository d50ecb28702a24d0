"""Random task graphs: layered, Gaussian elimination, Fourier transform, radio frames; and the strata.

Layered graphs and the two numerical ones follow Topcuoglu, Hariri and Wu 2002 (doi:10.1109/71.993206) with
laws of edges and costs that docs/problems/task-graph.md states; the radio frames are this project's own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..strata import Cell, Draw

Links = Sequence[tuple[int, int]]
"""Pairs (task, successor), the task with the smaller number first."""
Times = list[list[int | None]]

_SHAPES = (0.5, 1.0, 2.0)
_SPREADS = (0.5, 1.0, 1.5)


def layered(tasks: int, stream: random.Random) -> tuple[int, Links]:
    """Levels of random width; a parent in the level before, a successor, and further edges at random."""
    levels = max(2, round(tasks**0.5 / stream.choice(_SHAPES)))
    widths = [1] * levels
    for _ in range(tasks - levels):
        widths[stream.randrange(levels)] += 1
    first = [sum(widths[:level]) for level in range(levels)]
    members = [range(start, start + width) for start, width in zip(first, widths, strict=True)]
    links = set()
    for level in range(1, levels):
        for task in members[level]:
            links.add((stream.choice(members[level - 1]), task))
            for above in range(level):
                chance = 0.35 / (widths[level] * (level - above) ** 2)
                links.update((parent, task) for parent in members[above] if stream.random() < chance)
    fathers = {parent for parent, _ in links}
    for level in range(levels - 1):
        for task in members[level]:
            if task not in fathers:
                links.add((task, stream.choice(members[level + 1])))
    return tasks, sorted(links)


def gaussian(columns: int, stream: random.Random) -> tuple[int, Links]:
    """Elimination of a matrix: a pivot task for each column k, an update of each column j > k."""
    number: dict[tuple[int, int], int] = {}
    for k in range(1, columns):
        for j in range(k, columns + 1):
            number[k, j] = len(number)
    links = []
    for (k, j), task in number.items():
        if j == k:
            links += [(task, number[k, other]) for other in range(k + 1, columns + 1)]
        elif (below := (k + 1, j)) in number:
            links.append((task, number[below]))
    return len(number), sorted(links)


def fourier(points: int, stream: random.Random) -> tuple[int, Links]:
    """Fast Fourier transform of a power of two: a tree of calls, then layers of butterflies."""
    links = [(child // 2 - 1, child - 1) for child in range(2, 2 * points)]
    layer, tasks, distance = points - 1, 2 * points - 1, 1
    while distance < points:
        for index in range(points):
            links += [(layer + index, tasks + index), (layer + (index ^ distance), tasks + index)]
        layer, tasks, distance = tasks, tasks + points, 2 * distance
    return tasks, sorted(links)


def costed(
    graph: Callable[[random.Random], tuple[int, Links]], processors: int, ratio: float, stream: random.Random
) -> Draw:
    """A graph with times on each processor and transfers: `ratio` of mean transfer to mean time."""
    tasks, links = graph(stream)
    spread = stream.choice(_SPREADS)
    times: Times = []
    for _ in range(tasks):
        base = stream.uniform(1, 100)
        factors = [stream.uniform(1 - spread / 2, 1 + spread / 2) for _ in range(processors)]
        times.append([max(1, round(base * factor)) for factor in factors])
    mean = sum(map(sum, times)) / (tasks * processors)  # type: ignore[arg-type]
    return drawn(times, [[i, k, round(ratio * mean * stream.uniform(0, 2))] for i, k in links])


_CORES = {
    "scramble": (8, 22),
    "encode": (14, 40),
    "map": (10, 30),
    "fft": (30, 90),
    "crc": (6, 16),
    "filter": (20, 60),
    "demap": (16, 48),
    "decode": (60, 180),
}
"""Kind of task → time on a fast and on a slow core."""
_ENGINES = ({"fft": 5}, {"encode": 6, "decode": 6})
"""The two engines: kind of task → how many times faster than a fast core; others they cannot run."""


def radio(frames: int, stream: random.Random) -> Draw:
    """Radio frames on a system on chip: two fast and two slow cores, an FFT engine and a codec engine."""
    kinds: list[str] = []
    links: list[tuple[int, int]] = []
    for _ in range(frames):
        sending, parts = stream.random() < 0.5, stream.randint(2, 4)
        head, middle, tail = (
            (["scramble", "encode"], ["map", "fft"], ["crc"])
            if sending
            else (["filter"], ["fft", "demap"], ["decode", "crc"])
        )
        first = len(kinds)
        kinds += [*head, *middle * parts, *tail]
        links += [(task, task + 1) for task in range(first, first + len(head) - 1)]
        fork, join = first + len(head) - 1, len(kinds) - len(tail)
        for part in range(parts):
            left = fork + 1 + 2 * part
            links += [(fork, left), (left, left + 1), (left + 1, join)]
        links += [(task, task + 1) for task in range(join, len(kinds) - 1)]
    times = [_times_on_chip(kind, stream) for kind in kinds]
    return drawn(times, [[i, k, stream.randint(20, 120)] for i, k in sorted(links)])


def _times_on_chip(kind: str, stream: random.Random) -> list[int | None]:
    """Times of one task on the four cores and the two engines, None where it cannot run."""
    fast, slow = (10 * base * stream.uniform(0.8, 1.2) for base in _CORES[kind])
    engines = [max(1, round(fast / engine[kind])) if kind in engine else None for engine in _ENGINES]
    return [round(fast), round(fast), round(slow), round(slow), *engines]


def drawn(times: Times, edges: list[list[int]]) -> Draw:
    """Public part and scale."""
    public = {"times": times, "edges": edges}
    return Draw(public, scale(public))


def scale(public: Mapping[str, Any]) -> int:
    """Least work on all processors, shared equally, time units: no makespan is below."""
    times = public["times"]
    least = sum(min(time for time in row if time is not None) for row in times)
    return int(-(-least // len(times[0])))


def _cell(
    name: str, graph: Callable[..., tuple[int, Links]], size: int, processors: int, ratio: float
) -> Cell:
    return Cell(name, partial(costed, partial(graph, size), processors, ratio))


LARGE_TRANSFERS = _cell("layered 30x4 ccr=5", layered, 30, 4, 5.0)
STRATA = (
    _cell("layered 30x4 ccr=0.2", layered, 30, 4, 0.2),
    _cell("layered 30x4 ccr=1", layered, 30, 4, 1.0),
    LARGE_TRANSFERS,
    _cell("gaussian 27x4 ccr=1", gaussian, 7, 4, 1.0),
    _cell("fft 15x3 ccr=1", fourier, 4, 3, 1.0),
    Cell("radio frames", partial(radio, 3)),
)
"""Sizes that CP-SAT proves in seconds and that no classic rule solves."""
