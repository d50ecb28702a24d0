"""Nearest neighbour."""

import numpy as np


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_length: float,
    prizes: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """The nearest node that fits."""
    return int(unvisited_nodes[0])
