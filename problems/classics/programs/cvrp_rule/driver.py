"""Loop that makes one route after the other: the rule selects the next customer, or the depot to go home.

The rule gets copies, so it can change nothing but its own answer.
"""

from operator import index
from typing import Any

import numpy as np


def drive(entry: Any, instance: dict[str, Any]) -> list[list[int]]:
    """The routes that the rule `entry` makes of an instance."""
    matrix = np.array(instance["distances"], dtype=float)
    demands = np.array(instance["demands"], dtype=float)
    near = matrix.argsort(axis=1, kind="stable")
    left = np.ones(len(matrix), dtype=bool)
    left[0] = False
    routes: list[list[int]] = [[]]
    here, room, calls = 0, float(instance["capacity"]), 0
    with np.errstate(all="ignore"):
        while left.any():
            offered = near[here][(left & (demands <= room))[near[here]]]
            node = 0
            if len(offered):
                calls += 1
                reply = entry(
                    current_node=here,
                    depot=0,
                    unvisited_nodes=offered.copy(),
                    rest_capacity=room,
                    demands=demands.copy(),
                    distance_matrix=matrix.copy(),
                )
                expected = offered if here == 0 else [0, *offered]
                if not hasattr(reply, "__index__") or index(reply) not in expected:
                    also = " (the vehicle is at the depot)" if here == 0 else ", or 0 to go home"
                    raise ValueError(
                        f"select_next_node at call {calls}: got {str(reply)[:40]}, "
                        f"expected one of the unvisited_nodes, an integer{also}"
                    )
                node = index(reply)
            if node == 0:
                routes.append([])
                room = float(instance["capacity"])
            else:
                routes[-1].append(node)
                left[node] = False
                room -= float(demands[node])
            here = node
    return routes
