"""List scheduling of a task graph: one pair of a ready task and a processor at a time, chosen by the rule.

A task is ready when all tasks before it are placed. The pair with the smallest score is placed at its
earliest start, in a gap between two tasks if one is long enough. The rule gets arrays of its own.
"""

from bisect import insort
from math import lcm
from typing import Any

import numpy as np

PAIR = ("start", "finish", "data_ready", "local_input", "processor_end")
STATIC = (
    "duration",
    "optimistic_cost",
    "mean_optimistic_cost",
    "upward_rank",
    "downward_rank",
    "least_duration",
    "mean_duration",
    "successors",
    "on_critical_path",
    "critical_processor",
    "task",
)
TASK = ("least_finish", "second_finish")
COLUMNS = (*PAIR, *TASK, *STATIC)
START, FINISH, READY, LOCAL, END, LEAST, SECOND, DURATION = range(8)  # places in COLUMNS
NEVER = float("inf")


def drive(rule: Any, instance: dict[str, Any]) -> list[list[int]]:
    """The processor and the start of each task, as a rule places them."""
    graph = Graph(instance["times"], instance["edges"])
    with np.errstate(all="ignore"):
        while graph.ready:
            pairs, columns = graph.columns()
            score = np.asarray(rule(**columns), dtype=float)
            if score.shape != (len(pairs),):
                raise ValueError(
                    f"score: got shape {score.shape}, expected ({len(pairs)},): one number for each pair"
                )
            best = score.argmin()
            if score[best] != score[best]:  # NaN counts as infinity
                best = np.where(np.isnan(score), np.inf, score).argmin()
            graph.place(*divmod(pairs[best], graph.processors))
    return graph.answer


class Graph:
    """A partial schedule: the placed tasks, the ready ones, and the columns of all pairs."""

    def __init__(self, times: list[list[Any]], edges: list[list[int]]) -> None:
        """No task is placed."""
        self.times, self.processors = times, len(times[0])
        count = len(times)
        self.after: list[list[tuple[int, int]]] = [[] for _ in times]
        self.before: list[list[tuple[int, int]]] = [[] for _ in times]
        for i, k, size in edges:
            self.after[i].append((k, size))
            self.before[k].append((i, size))
        self.allowed = [[p for p, time in enumerate(row) if time is not None] for row in times]
        self.pairs = [
            [task * self.processors + p for p in allowed] for task, allowed in enumerate(self.allowed)
        ]
        self.missing = [len(row) for row in self.before]
        self.answer: list[list[int]] = [[] for _ in times]
        self.busy: list[list[tuple[int, int]]] = [[] for _ in range(self.processors)]
        self.facts = np.zeros((len(COLUMNS), count, self.processors))
        self.flat = self.facts.reshape(len(COLUMNS), -1)
        self.arrives = [[0] * self.processors for _ in times]
        self.ends: list[list[float]] = [[NEVER] * self.processors for _ in times]
        self.placed = self.makespan = 0
        self.ready: list[int] = []
        self.know()
        for task in range(count):
            if not self.missing[task]:
                self.release(task)

    def know(self) -> None:
        """Fills in the columns that no placement changes."""
        cost = optimistic_costs(self.times, self.after)
        work = [[row[p] for p in allowed] for row, allowed in zip(self.times, self.allowed, strict=True)]
        mean = [sum(row) / len(row) for row in work]
        unit = lcm(*{len(row) for row in work})
        length = [sum(row) * unit // len(row) for row in work]
        up, down = [0] * len(work), [0] * len(work)
        for i in reversed(range(len(work))):
            up[i] = length[i] + max([unit * size + up[k] for k, size in self.after[i]], default=0)
        for k in range(len(work)):
            down[k] = max([down[i] + length[i] + unit * size for i, size in self.before[k]], default=0)
        path, processor = self.critical(up, down)
        critical = set(path)
        columns = [
            [sum([row[p] for p in p_s]) / len(p_s) for row, p_s in zip(cost, self.allowed, strict=True)],
            [rank / unit for rank in up],
            [rank / unit for rank in down],
            [min(row) for row in work],
            mean,
            [len(row) for row in self.after],
            [task in critical for task in range(len(work))],
        ]
        first = DURATION + 2
        self.facts[DURATION] = np.array(self.times, dtype=float)
        self.facts[DURATION + 1] = cost
        self.facts[first : first + len(columns)] = np.array(columns, dtype=float)[:, :, None]
        self.facts[-2, :, processor] = 1
        self.facts[-1] = np.arange(len(work))[:, None]
        transfers = [size for row in self.after for _, size in row]
        self.ratio = sum(transfers) / len(transfers) / (sum(mean) / len(mean)) if transfers else 0.0

    def critical(self, up: list[int], down: list[int]) -> tuple[list[int], int]:
        """The tasks of a longest path by mean times, and the processor that runs most of them soonest."""
        entries = [i for i, parents in enumerate(self.before) if not parents]
        path = [max(entries, key=lambda i: up[i] + down[i])]
        longest = up[path[0]] + down[path[0]]
        while following := [k for k, _ in self.after[path[-1]] if up[k] + down[k] == longest]:
            path.append(min(following))
        rows = [self.times[i] for i in path]
        sums = [
            (sum([row[p] is None for row in rows]), sum([row[p] or 0 for row in rows]), p)
            for p in range(self.processors)
        ]
        return path, min(sums)[-1]

    def columns(self) -> tuple[list[int], dict[str, Any]]:
        """The pairs of ready tasks and processors, and what the rule sees of them."""
        pairs = [pair for task in self.ready for pair in self.pairs[task]]
        rows = self.flat.take(pairs, axis=1)
        np.subtract(rows[FINISH], rows[DURATION], out=rows[START])
        ends = self.facts[FINISH].take(self.ready, axis=0)
        ends.sort(axis=1)
        ends = ends[:, : SECOND - LEAST + 1].T
        if len(pairs) == len(self.ready) * self.processors:
            rows[LEAST : SECOND + 1].reshape(2, -1, self.processors)[:] = ends[:, :, None]
        else:
            counts = [len(self.pairs[task]) for task in self.ready]
            rows[LEAST : SECOND + 1] = ends.repeat(counts, axis=1)
            if 1 in counts:
                rows[SECOND] = np.where(rows[SECOND] < NEVER, rows[SECOND], rows[LEAST])
        seen: dict[str, Any] = dict(zip(COLUMNS, rows, strict=True))
        seen["progress"] = self.placed / len(self.times)
        seen["ccr"] = self.ratio
        seen["makespan"] = float(self.makespan)
        return pairs, seen

    def release(self, task: int) -> None:
        """A task becomes ready."""
        insort(self.ready, task)
        arrives, times, ends = self.arrives[task], self.times[task], self.ends[task]
        for p in self.allowed[task]:
            ends[p] = earliest(self.busy[p], arrives[p], times[p]) + times[p]
        self.facts[READY, task] = arrives
        self.facts[FINISH, task] = ends

    def place(self, task: int, processor: int) -> None:
        """Places a ready task on a processor at its earliest start."""
        end = int(self.ends[task][processor])
        start = end - self.times[task][processor]
        self.answer[task] = [processor, start]
        self.placed += 1
        self.makespan = max(self.makespan, end)
        self.ready.remove(task)
        busy, finish = self.busy[processor], self.facts[FINISH]
        insort(busy, (start, end))
        later = busy[busy.index((start, end)) + 1 :]
        self.facts[END, :, processor] = busy[-1][1]
        for other in self.ready:
            old = self.ends[other][processor]
            if start < old < NEVER and old - (length := self.times[other][processor]) < end:
                # What did not fit before its old start does not fit now either.
                old = (earliest(later, end, length) if later else end) + length
                self.ends[other][processor] = finish[other, processor] = old
        for k, size in self.after[task]:
            here, away = self.arrives[k][processor], end + size
            self.arrives[k] = [away if away > arrival else arrival for arrival in self.arrives[k]]
            self.arrives[k][processor] = end if end > here else here
            self.facts[LOCAL, k, processor] += size
            self.missing[k] -= 1
            if not self.missing[k]:
                self.release(k)


def earliest(busy: list[tuple[int, int]], ready: int, length: int) -> int:
    """Earliest start at or after `ready` on a processor, in a gap between its tasks or after the last one."""
    for start, end in busy:
        if ready + length <= start:
            break
        if end > ready:
            ready = end
    return ready


def optimistic_costs(times: Any, after: Any) -> list[list[float]]:
    """For each task and processor the least time from its end to the last end, if no processor is busy."""
    cost: list[list[float]] = [[0.0] * len(times[0]) for _ in times]
    path: list[list[float]] = [[] for _ in times]  # the same with the task's own time
    least = [0.0] * len(times)
    for i in reversed(range(len(times))):
        row = cost[i]
        for k, size in after[i]:
            away = least[k] + size
            row = [
                c if c > away else (here if here < away else away) if here > c else c
                for c, here in zip(row, path[k], strict=True)
            ]
        cost[i] = row
        path[i] = [NEVER if t is None else c + t for c, t in zip(row, times[i], strict=True)]
        least[i] = min(path[i])
    return cost
