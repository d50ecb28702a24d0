"""Nearest neighbour."""

import numpy as np


def select_next_node(
    current_node: int, destination_node: int, unvisited_nodes: np.ndarray, distance_matrix: np.ndarray
) -> int:
    """The nearest node that is left."""
    return int(unvisited_nodes[0])
