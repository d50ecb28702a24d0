"""2-opt, Or-opt and double bridges; stands at the end of every program that improves a tour."""

import random
from itertools import pairwise

KICKS = 50
CELLS = 120_000


def improved(nodes: list[int], distances: list[list[int]], segments: tuple[int, ...]) -> list[int]:
    """First improvements by reversals, and by moves of segments of these lengths, until there is none."""
    better = True
    while better:
        better = reversal(nodes, distances)
        for size in segments:
            better = moved(nodes, distances, size) or better
    return nodes


def reversal(nodes: list[int], distances: list[list[int]]) -> bool:
    """Reverses parts of the tour where that shortens it; whether it did."""
    n, better = len(nodes), False
    for i in range(n - 1):
        for k in range(i + 1, n):
            a, b, c, d = nodes[i - 1], nodes[i], nodes[k], nodes[(k + 1) % n]
            if a != c and distances[a][c] + distances[b][d] < distances[a][b] + distances[c][d]:
                nodes[i : k + 1] = nodes[i : k + 1][::-1]
                better = True
    return better


def moved(nodes: list[int], distances: list[list[int]], size: int) -> bool:
    """Moves segments to the place, either way round, where that shortens the tour most; whether it did."""
    better = False
    for first in list(nodes) if len(nodes) > size + 2 else ():
        i = nodes.index(first)
        turned = nodes[i:] + nodes[:i]
        segment, rest = turned[:size], turned[size:]
        a, b = segment[0], segment[-1]
        gain = distances[rest[-1]][a] + distances[b][rest[0]] - distances[rest[-1]][rest[0]]
        growth, k, reverse = min(
            (distances[p][x] + distances[y][q] - distances[p][q], k, x != a)
            for k, (p, q) in enumerate(pairwise(rest), 1)
            for x, y in ((a, b), (b, a))
        )
        if growth < gain:
            nodes[:] = rest[:k] + (segment[::-1] if reverse else segment) + rest[k:]
            better = True
    return better


def kicked(nodes: list[int], distances: list[list[int]]) -> list[int]:
    """Double bridges with a descent after each, fewer of them in large tours; a longer tour is not kept."""
    stream = random.Random(0)
    for _ in range(min(KICKS, CELLS // len(nodes) ** 2) if len(nodes) > 7 else 0):
        i, j, k = sorted(stream.sample(range(1, len(nodes)), 3))
        trial = nodes[:i] + nodes[j:k] + nodes[i:j] + nodes[k:]
        improved(trial, distances, (1, 2, 3))
        if length(trial, distances) <= length(nodes, distances):
            nodes = trial
    return nodes


def length(nodes: list[int], distances: list[list[int]]) -> int:
    """Of the closed tour."""
    return sum(distances[nodes[k - 1]][node] for k, node in enumerate(nodes))
