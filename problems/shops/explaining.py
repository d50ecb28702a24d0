"""Where a schedule's makespan arises: machines that stand idle, and the chain that leads to its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..base import Json
from ..summaries import percent, quantiles
from .gantt import chain
from .verification import makespan, occupations

_SHOWN = 4
"""Machines and jobs that are listed."""


def explain_schedule(public: Mapping[str, Any], answer: Json, *, blocking: bool) -> str:
    """Work and idle time of the busiest machines, the last jobs, and the critical chain or the blocked time.

    Args:
        public: machines, routes and times of an instance.
        answer: valid start times.
        blocking: whether a job holds its machine until its next operation starts.
    """
    starts: Any = answer
    times, end = public["times"], makespan(public, starts)
    rows = occupations(public, starts, blocking=blocking)
    work = [sum(times[job][place] for *_, job, place in row) for row in rows]
    jobs = [sum(job) for job in times]
    ends = [begins[-1] + job[-1] for begins, job in zip(starts, times, strict=True)]
    lines = [
        f"{len(times)} jobs on {len(rows)} machines end at {end}; the busiest machine works {max(work)}, "
        f"the longest job {max(jobs)} time units.",
        f"Work of the machines in percent of the makespan at {quantiles([100 * w / end for w in work])}.",
        "Busiest machines (idle before the first operation, between operations, after the last):",
    ]
    for machine in sorted(range(len(rows)), key=lambda m: -work[m])[:_SHOWN]:
        held = sorted(rows[machine])
        if not held:
            continue
        first, last = held[0][0], max(start + times[job][place] for start, _, job, place in held)
        between = last - first - work[machine]
        lines.append(f"- machine {machine}: works {work[machine]}; idle {first}, {between}, {end - last}")
    late = sorted(range(len(ends)), key=lambda job: -ends[job])[:_SHOWN]
    shown = "; ".join(f"job {j}: ends {ends[j]}, works {jobs[j]}, begins {starts[j][0]}" for j in late)
    lines.append(f"Jobs that end last: {shown}.")
    lines.append(_blocked(public, rows, end) if blocking else _critical(public, starts))
    return "\n".join(lines)


def _critical(public: Mapping[str, Any], starts: Any) -> str:
    """The operations without a pause up to the end: how many, on which machines, of how many jobs."""
    critical = chain(public["routes"], public["times"], starts)
    machines = Counter(public["routes"][job][place] for job, place in critical)
    jobs = {job for job, _ in critical}
    shown = ", ".join(f"{n} on machine {machine}" for machine, n in machines.most_common(_SHOWN))
    return f"Critical chain: {len(critical)} operations of {len(jobs)} jobs; {shown}."


def _blocked(public: Mapping[str, Any], rows: Any, end: int) -> str:
    """How long jobs that have ended an operation hold their machines."""
    blocked = [
        sum(until - start - public["times"][job][place] for start, until, job, place in row) for row in rows
    ]
    worst = sorted(range(len(rows)), key=lambda m: -blocked[m])[:_SHOWN]
    shown = ", ".join(f"machine {m} {blocked[m]}" for m in worst)
    return f"Machines are blocked for {percent(sum(blocked), end * len(rows))} of the time; longest: {shown}."
