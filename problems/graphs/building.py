"""From the tasks and edges of a user's file to an instance: duplicates, cycles and sizes are refused."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from ..base import Instance, InstanceFileError
from ..files import shown
from .laws import drawn

LONGEST = 10**9
MOST_TASKS, MOST_PAIRS, MOST_EDGES, MOST_PROCESSORS = 2_000, 20_000, 50_000, 64


@dataclass(frozen=True, slots=True)
class GraphTask:
    """A task of a file: its name there, its times (one for each processor), and where it stands."""

    name: str
    times: Sequence[int | None]
    place: str


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge of a file: places of its tasks in the list of tasks, its transfer, and where it stands."""

    tail: int
    head: int
    size: int
    place: str


def refuse(path: Path, place: str, got: str, expected: str) -> NoReturn:
    """Ends the reading with the place, what was got and what was expected."""
    raise InstanceFileError(f"{path} {place}: got {got}, expected {expected}")


def whole(path: Path, place: str, text: str, least: int, meaning: str) -> int:
    """A whole number as written."""
    value = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else -1
    if not least <= value <= LONGEST:
        refuse(path, place, shown(text), f"{meaning}, a whole number from {least} to {LONGEST:,}")
    return value


def build(path: Path, name: str, tasks: Sequence[GraphTask], edges: Sequence[Edge]) -> Instance:
    """The instance; tasks that stand behind a successor are numbered anew, others keep their order.

    Raises:
        InstanceFileError: the graph is empty or too large, has an edge twice, or a circle.
    """
    where = tasks[0].place if tasks else "file"
    if not tasks:
        refuse(path, where, "no task", "at least one")
    processors = len(tasks[0].times)
    if len(tasks) > MOST_TASKS or len(tasks) * processors > MOST_PAIRS or len(edges) > MOST_EDGES:
        refuse(
            path,
            where,
            f"{len(tasks)} tasks, {processors} processors, {len(edges)} edges",
            f"at most {MOST_TASKS:,} tasks, {MOST_PAIRS:,} pairs of task and processor, {MOST_EDGES:,} edges",
        )
    links: dict[tuple[int, int], Edge] = {}
    for edge in edges:
        if (edge.tail, edge.head) in links:
            pair = f"the edge {shown(tasks[edge.tail].name)} to {shown(tasks[edge.head].name)} twice"
            refuse(path, edge.place, pair, "each edge once")
        links[edge.tail, edge.head] = edge
    number = {task: n for n, task in enumerate(_order(path, tasks, edges))}
    rows = [list(tasks[task].times) for task in number]
    renamed = sorted([number[edge.tail], number[edge.head], edge.size] for edge in edges)
    draw = drawn(rows, renamed)
    stratum = f"{len(tasks)}x{processors}"
    return Instance(name, path.name, stratum, draw.public, draw.scale, f"file {path.name}")


def without_dummies(tasks: Sequence[GraphTask], edges: Sequence[Edge]) -> tuple[list[GraphTask], list[Edge]]:
    """The graph without beginnings and ends of time 0 whose edges transfer nothing."""
    tails, heads = {edge.tail for edge in edges}, {edge.head for edge in edges}
    heavy = {task for edge in edges if edge.size for task in (edge.tail, edge.head)}
    dummies = {
        n
        for n, task in enumerate(tasks)
        if set(task.times) == {0} and n not in heavy and not (n in tails and n in heads)
    }
    number = {task: n for n, task in enumerate(n for n in range(len(tasks)) if n not in dummies)}
    kept = [
        Edge(number[e.tail], number[e.head], e.size, e.place)
        for e in edges
        if e.tail in number and e.head in number
    ]
    return [tasks[n] for n in number], kept


def _order(path: Path, tasks: Sequence[GraphTask], edges: Sequence[Edge]) -> list[int]:
    """The tasks, each behind those before it, otherwise in the order of the file."""
    after: list[list[int]] = [[] for _ in tasks]
    missing = [0] * len(tasks)
    for edge in edges:
        after[edge.tail].append(edge.head)
        missing[edge.head] += 1
    ready = [task for task, count in enumerate(missing) if not count]
    order = []
    while ready:
        task = heapq.heappop(ready)
        order.append(task)
        for head in after[task]:
            missing[head] -= 1
            if not missing[head]:
                heapq.heappush(ready, head)
    if len(order) < len(tasks):
        edge = _in_circle(edges, set(range(len(tasks))) - set(order))
        names = f"{shown(tasks[edge.tail].name)} to {shown(tasks[edge.head].name)}"
        refuse(path, edge.place, f"a circle through the edge {names}", "a graph without circles")
    return order


def _in_circle(edges: Sequence[Edge], left: Collection[int]) -> Edge:
    """The first edge in the file of a circle among tasks of which each has another one before it."""
    before = {edge.head: edge for edge in reversed(edges) if edge.tail in left}
    task = next(iter(left))
    way: dict[int, Edge] = {}
    while task not in way:
        way[task] = before[task]
        task = before[task].tail
    tasks = list(way)
    circle = {way[one] for one in tasks[tasks.index(task) :]}
    return next(edge for edge in edges if edge in circle)
