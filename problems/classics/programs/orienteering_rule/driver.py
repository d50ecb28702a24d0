"""Loop that makes a tour from the depot: the rule selects the next node until none is left that fits.

A node fits if the way there and from there back is no longer than what is left. The rule gets copies, so it
can change nothing but its own answer.
"""

from operator import index
from typing import Any

import numpy as np


def drive(entry: Any, instance: dict[str, Any]) -> list[int]:
    """The nodes after the depot that the rule `entry` selects in an instance."""
    rows, rest = instance["distances"], instance["max_length"]
    matrix = np.array(rows, dtype=float)
    prizes = np.array(instance["prizes"], dtype=float)
    near = matrix.argsort(axis=1, kind="stable")
    left = np.ones(len(matrix), dtype=bool)
    tour, here = list[int](), 0
    left[0] = False
    with np.errstate(all="ignore"):
        while (offered := near[here][(left & (matrix[here] + matrix[0] <= rest))[near[here]]]).size:
            node = entry(
                current_node=here,
                depot=0,
                unvisited_nodes=offered.copy(),
                rest_length=float(rest),
                prizes=prizes.copy(),
                distance_matrix=matrix.copy(),
            )
            if not hasattr(node, "__index__") or index(node) not in offered:
                raise ValueError(
                    f"select_next_node at step {len(tour) + 1}: got {str(node)[:40]}, "
                    "expected one of the unvisited_nodes (an integer)"
                )
            tour.append(index(node))
            rest -= rows[here][tour[-1]]
            here = tour[-1]
            left[here] = False
    return tour
