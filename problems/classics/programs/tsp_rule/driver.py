"""Loop that makes a tour from node 0: the rule selects the next node, the last one is not asked for.

The rule gets copies, so it can change nothing but its own answer.
"""

from operator import index
from typing import Any

import numpy as np


def drive(entry: Any, instance: dict[str, Any]) -> list[int]:
    """The tour that the rule `entry` makes of an instance."""
    matrix = np.array(instance["distances"], dtype=float)
    near = matrix.argsort(axis=1, kind="stable")
    left = np.ones(len(matrix), dtype=bool)
    tour = [0]
    left[0] = False
    with np.errstate(all="ignore"):
        while len(tour) < len(matrix) - 1:
            here = tour[-1]
            offered = near[here][left[near[here]]]
            node = entry(
                current_node=here,
                destination_node=0,
                unvisited_nodes=offered.copy(),
                distance_matrix=matrix.copy(),
            )
            if not hasattr(node, "__index__") or index(node) not in offered:
                raise ValueError(
                    f"select_next_node at step {len(tour)}: got {str(node)[:40]}, "
                    "expected one of the unvisited_nodes (an integer)"
                )
            tour.append(index(node))
            left[tour[-1]] = False
    return tour + [int(node) for node in left.nonzero()[0]]
