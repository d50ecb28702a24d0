"""Each route begins at the farthest customer left, then goes to the nearest one."""

import numpy as np


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_capacity: float,
    demands: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """The farthest customer from the depot at its start, later the nearest that fits."""
    costs = distance_matrix[current_node, unvisited_nodes]
    if current_node == depot:
        costs = -costs
    return int(unvisited_nodes[np.argmin(costs)])
