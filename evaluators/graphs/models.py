"""Interval model of a task graph for CP-SAT, and bounds by arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...problems.graphs.verification import horizon
from ..toolbox import Solved

if TYPE_CHECKING:
    from ortools.sat.python import cp_model


@dataclass(frozen=True, slots=True)
class GraphModel:
    """A model, the start of each task, and for each task a Boolean per allowed processor."""

    model: cp_model.CpModel
    starts: list[cp_model.IntVar]
    on: list[dict[int, cp_model.IntVar]]

    def schedule(self, solved: Solved) -> list[list[int]] | None:
        """The schedule of a solution, None without one."""
        if solved.solution is None:
            return None
        return [
            [next(p for p, chosen in row.items() if solved[chosen]), int(solved[start])]
            for row, start in zip(self.on, self.starts, strict=True)
        ]


def graph_model(public: Mapping[str, Any], *, least: int = 0, deadline: int | None = None) -> GraphModel:
    """The schedules of a task graph, of least makespan, or any that ends by a deadline.

    An edge holds on every processor p: the successor starts after the end of the task, plus the transfer if
    the successor is on p, less the transfer if the task is on p. That counts the transfer exactly where one
    of the two is on p and the other is not.

    Args:
        public: `times` and `edges`.
        least: a proven lower bound of the makespan.
        deadline: no objective, but this latest end; None minimises the makespan.
    """
    from ortools.sat.python import cp_model

    times = public["times"]
    edges = public["edges"]
    latest = horizon(public) if deadline is None else max(deadline, 0)
    model = cp_model.CpModel()
    end: Any = model.new_int_var(least, latest, "makespan") if deadline is None else latest
    starts = []
    ends = []
    on = list[dict[int, Any]]()
    busy: list[list[Any]] = [[] for _ in times[0]]
    for i, row in enumerate(times):
        start, stop = (model.new_int_var(0, latest, f"{what} {i}") for what in ("start", "end"))
        chosen = {p: model.new_bool_var(f"on {i} {p}") for p, time in enumerate(row) if time is not None}
        for p, here in chosen.items():
            busy[p].append(model.new_optional_interval_var(start, row[p], stop, here, f"{i} {p}"))
        model.add_exactly_one(chosen.values())
        model.add(stop == start + sum(row[p] * here for p, here in chosen.items()))
        if deadline is None:
            model.add(stop <= end)
        starts.append(start)
        ends.append(stop)
        on.append(chosen)
    for i, k, size in edges:
        model.add(starts[k] >= ends[i])
        for p in on[k]:
            sender = on[i].get(p, 0)
            model.add(starts[k] >= ends[i] + size * on[k][p] - size * sender)
    for p, intervals in enumerate(busy):
        model.add_no_overlap(intervals)
        model.add(sum(times[i][p] * row[p] for i, row in enumerate(on) if p in row) <= end)
    if deadline is None:
        model.minimize(end)
    return GraphModel(model, starts, on)


def arithmetic_bound(public: Mapping[str, Any]) -> int:
    """The larger of the longest chain of least times and of the least work shared by all processors."""
    least = [min(time for time in row if time is not None) for row in public["times"]]
    ends = list(least)
    for i, k, _ in sorted(public["edges"]):
        ends[k] = max(ends[k], ends[i] + least[k])
    return int(max(*ends, -(-sum(least) // len(public["times"][0]))))
