"""Insertion from the depot: largest prize for the detour, at the best place."""

from .insertion import inserted


def tour(
    coordinates: list[list[int]], distances: list[list[int]], prizes: list[int], max_length: int
) -> list[int]:
    """Nodes while one fits."""
    return inserted([], distances, prizes, max_length, 1.0)
