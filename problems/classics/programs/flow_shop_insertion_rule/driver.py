"""Loop that inserts jobs: the rule rates all jobs once, the one with the largest number is inserted first.

Each job comes to the place with the least makespan of the jobs inserted so far, the first of equal ones. The
rule gets a copy, so it can change nothing but its own answer. Of equal numbers the lower job comes first, and
NaN counts as minus infinity.
"""

from typing import Any

import numpy as np

from ..flow_shop.insertion import spans


def drive(entry: Any, instance: dict[str, Any]) -> list[int]:
    """The order that the rule `entry` leads to in an instance."""
    times = instance["times"]
    with np.errstate(all="ignore"):
        rating = np.asarray(entry(times=np.array(times, dtype=float)), dtype=float)
    if rating.shape != (len(times),):
        raise ValueError(
            f"priority: got shape {rating.shape}, expected ({len(times)},): one number for each job"
        )
    order: list[int] = []
    for job in ranked(rating):
        makespans = spans(order, job, times)
        order.insert(makespans.index(min(makespans)), job)
    return order


def ranked(rating: Any) -> list[int]:
    """Jobs by falling number."""
    return [int(job) for job in np.argsort(-np.where(np.isnan(rating), -np.inf, rating), kind="stable")]
