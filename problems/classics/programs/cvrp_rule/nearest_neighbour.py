"""Nearest neighbour."""

import numpy as np


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_capacity: float,
    demands: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """The nearest customer that fits."""
    costs = distance_matrix[current_node, unvisited_nodes]
    return int(unvisited_nodes[np.argmin(costs)])
