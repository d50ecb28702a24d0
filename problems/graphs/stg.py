"""Task graphs of the Standard Task Graph Set (Kasahara): equal processors, no transfers."""

from __future__ import annotations

import re
from pathlib import Path

from .building import MOST_TASKS, Edge, GraphTask, refuse, whole, without_dummies


def read_stg(path: Path, lines: list[str], processors: int) -> tuple[list[GraphTask], list[Edge]]:
    """Tasks and edges: the number of tasks, then a line per task (task, time, predecessors, which ones)."""
    rows = [
        (number, re.findall(r"\S+", line))
        for number, line in enumerate(lines, 1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not rows:
        refuse(path, "file", "no numbers", "the number of tasks, then a line for each task")
    first, words = rows[0]
    if len(words) != 1:
        refuse(path, f"line {first}", f"{len(words)} numbers", "the number of tasks alone")
    count = whole(path, f"line {first}", words[0], 0, "the number of tasks")
    listed = len(rows) - 1
    if listed not in (count, count + 2):  # some files do not count the two dummy tasks
        place = f"line {rows[min(listed, count + 1)][0]}"
        refuse(path, place, f"{listed} tasks", f"{count}, as line {first} says, or two more of time 0")
    if len(rows) > MOST_TASKS + 3:
        refuse(path, f"line {first}", f"{len(rows) - 1} tasks", f"at most {MOST_TASKS:,}")
    tasks, edges = [], []
    for n, (line, words) in enumerate(rows[1:]):
        place = f"line {line}"
        if len(words) < 3:
            refuse(path, place, f"{len(words)} numbers", "task, time and number of predecessors")
        numbers = [
            whole(path, f"{place} column {k}", word, 0, meaning)
            for k, (word, meaning) in enumerate(zip(words, _meanings(len(words)), strict=True), 1)
        ]
        if numbers[0] != n:
            refuse(path, f"{place} column 1", str(numbers[0]), f"{n}: tasks are numbered from 0")
        if len(numbers) != 3 + numbers[2]:
            refuse(path, place, f"{len(numbers) - 3} predecessors", f"{numbers[2]}, as column 3 says")
        for column, parent in enumerate(numbers[3:], 4):
            if parent >= len(rows) - 1 or parent == n:
                refuse(path, f"{place} column {column}", str(parent), "the number of another task")
            edges.append(Edge(parent, n, 0, f"{place} column {column}"))
        tasks.append(GraphTask(str(n), [numbers[1]] * processors, f"{place} column 2"))
    ends = [task for task in (tasks[0], tasks[-1]) if set(task.times) == {0}] if tasks else []
    if len(ends) == 1 or (listed > count and len(ends) < 2):
        got = f"a task of time 0 at {len(ends)} of the two ends, and {listed} tasks"
        refuse(path, tasks[-1].place, got, f"one at both ends or none, and {count} tasks")
    return without_dummies(tasks, edges)


def _meanings(count: int) -> list[str]:
    return ["a task", "a time", "the number of predecessors", *["a predecessor"] * (count - 3)][:count]
