"""Where the makespan of a task graph arises: idle processors, transfers, and the chain to the last end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import Json
from ..summaries import percent
from .gantt import chain
from .verification import makespan, on_processors

_SHOWN = 6
"""Transfers and tasks that are listed."""


def explain_schedule(public: Mapping[str, Any], answer: Json) -> str:
    """Work and idle time of the processors, cut edges, slow placements, and the chain without a pause.

    Args:
        public: times and edges of an instance.
        answer: a valid schedule.
    """
    schedule: Any = answer
    times, edges, end = public["times"], public["edges"], makespan(public, schedule)
    rows = on_processors(public, schedule)
    work = [sum(last - first for first, last, _ in row) for row in rows]
    least = [min(time for time in row if time is not None) for row in times]
    cut = [edge for edge in edges if schedule[edge[0]][0] != schedule[edge[1]][0]]
    sent, all_sent = sum(size for *_, size in cut), sum(size for *_, size in edges)
    shares = ", ".join(percent(one, end) for one in work)
    lines = [
        f"{len(times)} tasks on {len(rows)} processors end at {end}; the processors work {shares} of it.",
        f"Work is {sum(work)}, on the fastest processors it would be {sum(least)} time units.",
        f"{len(cut)} of {len(edges)} edges cross processors: {percent(sent, all_sent)} of all transfers.",
    ]
    links = list(chain(public, schedule).items())
    running = sum(times[task][schedule[task][0]] for task, _ in links)
    begin = schedule[links[-1][0]][1]
    lines.append(
        f"The chain without a pause to the last end has {len(links)} tasks, from time {begin}: "
        f"{running} time units of work, {end - begin - running} of transfers."
    )
    steps = [
        f"{task} (processor {schedule[task][0]}, start {schedule[task][1]}, takes "
        f"{times[task][schedule[task][0]]}, at best {least[task]})"
        for task, _ in links[:_SHOWN]
    ]
    lines.append(f"Its last tasks, latest first: {'; '.join(steps)}.")
    return "\n".join(lines)
