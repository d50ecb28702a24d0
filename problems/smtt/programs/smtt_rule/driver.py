"""Dispatch loop: the unscheduled job with the smallest priority goes next.

The rule gets copies, so it can change nothing but its own answer. Jobs stand in the order of due date, then
processing time; of equal priorities the first in this order wins, and NaN counts as infinity.
"""

from typing import Any

import numpy as np


def drive(entry: Any, instance: dict[str, list[int]]) -> list[int]:
    """The sequence that the rule `entry` makes of an instance."""
    jobs = len(instance["processing_times"])
    order = sorted(range(jobs), key=lambda j: (instance["due_dates"][j], instance["processing_times"][j]))
    columns = {name: np.array(values, dtype=float)[order] for name, values in instance.items()}
    numbers = np.array(order)
    lengths = columns["processing_times"]
    time = 0.0
    sequence = []
    with np.errstate(all="ignore"):
        for left in range(jobs, 0, -1):
            state = {name: column[:left].copy() for name, column in columns.items()}
            priority = np.asarray(entry(time=time, **state), dtype=float)
            if priority.shape != (left,):
                raise ValueError(
                    f"priority at time {time:g}: got shape {priority.shape}, expected ({left},): "
                    "one number for each unscheduled job"
                )
            k = int(np.where(np.isnan(priority), np.inf, priority).argmin())
            sequence.append(int(numbers[k]))
            time += float(lengths[k])
            for column in (numbers, *columns.values()):
                column[k : left - 1] = column[k + 1 : left].copy()
    return sequence
