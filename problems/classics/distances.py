"""Places in the plane: how they are drawn, and rounded distances between them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from math import isqrt
from typing import Any

Points = list[list[int]]
Place = Callable[[random.Random, int, int], Points]
"""From a stream, a number of places and the side of the square to the places' coordinates."""

_MANY = 300
"""Points above which arrays are quicker than the import of their library."""


def uniform(stream: random.Random, count: int, side: int) -> Points:
    """Anywhere in the square."""
    return [[stream.randint(0, side), stream.randint(0, side)] for _ in range(count)]


def clustered(stream: random.Random, count: int, side: int) -> Points:
    """Around one centre for every 15 places, in the inner 80 % of the square; spread 5 % of the side."""
    centres = [[stream.uniform(0.1, 0.9) * side for _ in "xy"] for _ in range(max(1, count // 15))]
    return [
        [min(side, max(0, round(stream.gauss(middle, 0.05 * side)))) for middle in stream.choice(centres)]
        for _ in range(count)
    ]


def distances(points: Sequence[Sequence[int]]) -> list[list[int]]:
    """Euclidean distances rounded to the nearest integer (TSPLIB's EUC_2D), exact for integer coordinates."""
    if len(points) > _MANY:
        return [row.tolist() for row in _rows(points)]
    return [[(isqrt(4 * ((a - c) ** 2 + (b - d) ** 2)) + 1) // 2 for c, d in points] for a, b in points]


def _rows(points: Sequence[Sequence[int]]) -> Iterator[Any]:
    """The distances of each point, by arrays: floating-point roots, put right in integers below 2⁶³."""
    import numpy as np

    table = np.array(points, dtype=np.int64)
    for point in table:
        squares = ((table - point) ** 2).sum(axis=1)
        roots = np.rint(np.sqrt(squares)).astype(np.int64)
        roots += squares > roots * roots + roots
        roots -= (roots > 0) & (squares <= roots * roots - roots)
        yield roots
