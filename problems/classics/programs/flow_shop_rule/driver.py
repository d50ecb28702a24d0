"""Loop that makes an order of jobs from its front: the job with the smallest number comes next.

The rule gets copies, so it can change nothing but its own answer. Of equal numbers the job with the lowest
number wins, and NaN counts as infinity. The last job is not asked for.
"""

from typing import Any

import numpy as np


def drive(entry: Any, instance: dict[str, Any]) -> list[int]:
    """The order that the rule `entry` makes of an instance."""
    times = np.array(instance["times"], dtype=float)
    jobs, machines = times.shape
    left, order = list(range(jobs)), list[int]()
    front: Any = np.zeros(machines)
    fixed = {"machines": float(machines), "mean_processing": float(times.mean())}
    with np.errstate(all="ignore"):
        while len(left) > 1:
            ends, columns = rated(times[left], front, len(order), jobs)
            reply = entry(progress=len(order) / jobs, **fixed, **columns)
            priority = np.asarray(reply, dtype=float)
            if priority.shape != (len(left),):
                raise ValueError(
                    f"priority at place {len(order)}: got shape {priority.shape}, expected ({len(left)},): "
                    "one number for each job left"
                )
            k = int(np.where(np.isnan(priority), np.inf, priority).argmin())
            order.append(left.pop(k))
            front = ends[k]
    return order + left


def rated(rows: Any, front: Any, place: int, jobs: int) -> tuple[Any, dict[str, Any]]:
    """Ends of each job left on each machine if it comes next, and what the rule sees (at least two jobs)."""
    count, machines = rows.shape
    ends = np.empty_like(rows)
    idle, weighted, waiting, end = np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(count)
    for k in range(machines):
        start = np.maximum(front[k], end)
        idle += start - front[k]
        if k:  # weights of Liu and Reeves 2001, doi:10.1016/S0377-2217(00)00137-5
            weight = machines / (k + 1 + place * (machines - k - 1) / max(1, jobs - 2))
            weighted += weight * (start - front[k])
            waiting += start - end
        end = ends[:, k] = start + rows[:, k]
    work = rows.sum(axis=1)
    after = work[:, None] - rows.cumsum(axis=1)
    least = np.partition(after, 1, axis=0)[:2]
    others = np.where(after == least[0], least[1], least[0])
    load = rows.sum(axis=0)
    return ends, {
        "end": end.copy(),
        "bound": (ends + (load - rows) + others).max(axis=1),
        "idle": idle,
        "weighted_idle": weighted,
        "waiting": waiting,
        "advance": (ends - front).sum(axis=1),
        "slope": rows @ (2.0 * np.arange(machines) - machines + 1),
        "work": work,
        "first_machine": rows[:, 0].copy(),
        "last_machine": rows[:, -1].copy(),
        "bottleneck": rows[:, load.argmax()].copy(),
    }
