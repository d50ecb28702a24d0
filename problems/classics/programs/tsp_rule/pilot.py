"""Pilot method (Duin and Voss 1999): the five nearest nodes, each tried by nearest neighbour to the end."""

import numpy as np


def select_next_node(
    current_node: int, destination_node: int, unvisited_nodes: np.ndarray, distance_matrix: np.ndarray
) -> int:
    """The node whose trial is shortest, the nearest of equal ones."""
    rows: list[list[float]] = distance_matrix.tolist()
    nearest: list[int] = unvisited_nodes[:5].tolist()

    def trial(first: int) -> float:
        left = set(unvisited_nodes.tolist())
        here, length = first, rows[current_node][first]
        left.remove(first)
        while left:
            row = rows[here]
            here = min(left, key=row.__getitem__)
            left.remove(here)
            length += row[here]
        return length + rows[here][destination_node]

    return min(nearest, key=trial)
