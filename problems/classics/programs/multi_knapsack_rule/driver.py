"""Loop that fills a knapsack: the rule rates all items once, what still fits is taken, largest number first.

The rule gets copies, so it can change nothing but its own answer. Of equal numbers the lower item comes
first, and NaN counts as minus infinity.
"""

from typing import Any

import numpy as np


def drive(entry: Any, instance: dict[str, Any]) -> list[int]:
    """The items that the rule `entry` leads to in an instance."""
    profits, weights, capacities = (
        np.array(instance[name], dtype=float) for name in ("profits", "weights", "capacities")
    )
    with np.errstate(all="ignore"):
        reply = entry(profits=profits.copy(), weights=weights.copy(), capacities=capacities.copy())
    rating = np.asarray(reply, dtype=float)
    if rating.shape != profits.shape:
        raise ValueError(
            f"priority: got shape {rating.shape}, expected {profits.shape}: one number for each item"
        )
    room, chosen = list(instance["capacities"]), list[int]()
    rows = instance["weights"]
    for item in ranked(rating):
        if all(row[item] <= free for row, free in zip(rows, room, strict=True)):
            room = [free - row[item] for row, free in zip(rows, room, strict=True)]
            chosen.append(item)
    return chosen


def ranked(rating: Any) -> list[int]:
    """Items by falling number."""
    return [int(item) for item in np.argsort(-np.where(np.isnan(rating), -np.inf, rating), kind="stable")]
