"""Largest prize for the way there (Tsiligirides 1984, doi:10.1057/jors.1984.162, without chance)."""

import numpy as np


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_length: float,
    prizes: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """The node with the largest prize for its distance."""
    near = distance_matrix[current_node, unvisited_nodes]
    return int(unvisited_nodes[np.argmax(prizes[unvisited_nodes] / (1 + near))])
