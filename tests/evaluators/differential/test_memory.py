"""Memory mapping against all orders in which buffers drop to their lowest free place."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

NAMES = ["memory-mapping", "memory-mapping-rule"]


def _buffers(stream: random.Random, count: int) -> list[list[int]]:
    starts = [stream.randrange(10) for _ in range(count)]
    return [[start, start + stream.randint(1, 6), stream.randint(1, 9)] for start in starts]


def _rectangle(stream: random.Random, cuts: int) -> tuple[list[list[int]], list[int], int]:
    """Buffers and offsets of a rectangle that is cut, shuffled, and its height."""
    height = stream.randint(10, 20)
    pieces = [(0, 12, 0, height)]
    while len(pieces) <= cuts:
        start, end, low, high = pieces.pop(stream.randrange(len(pieces)))
        if stream.random() < 0.5 and end - start > 1:
            at = stream.randint(start + 1, end - 1)
            pieces += [(start, at, low, high), (at, end, low, high)]
        elif high - low > 1:
            at = stream.randint(low + 1, high - 1)
            pieces += [(start, end, low, at), (start, end, at, high)]
        else:
            pieces.append((start, end, low, high))
    stream.shuffle(pieces)
    return [[s, e, h - l] for s, e, l, h in pieces], [l for _, _, l, _ in pieces], height  # noqa: E741


def _all_orders(buffers: list[list[int]]) -> tuple[int, list[int]]:
    """Least peak and offsets: some order of dropping attains the optimum, the one by optimal offsets."""
    best: tuple[int, list[int]] = (sum(size for _, _, size in buffers) + 1, [])
    for order in permutations(range(len(buffers))):
        offsets: dict[int, int] = {}
        for i in order:
            start, end, size = buffers[i]
            place = 0
            for low, j in sorted((low, j) for j, low in offsets.items()):
                if buffers[j][0] < end and start < buffers[j][1] and low < place + size:
                    place = max(place, low + buffers[j][2])
            offsets[i] = place
            if place + size >= best[0]:
                break
        else:
            peak = max(offsets[i] + buffers[i][2] for i in offsets)
            best = min(best, (peak, [offsets[i] for i in range(len(buffers))]))
    return best


def _largest_load(buffers: list[list[int]]) -> int:
    """Largest sum of the sizes that are alive in one moment."""
    return max(sum(size for start, end, size in buffers if start <= t < end) for t in range(20))


@pytest.mark.parametrize("name", NAMES)
def test_peaks_of_all_orders(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any, objective: Any
) -> None:
    """Seven buffers: the reference is the largest load, and no order has a lower peak."""
    for _ in range(4):
        instance = drawn({"buffers": _buffers(stream, 7)})
        least, offsets = _all_orders(instance.public["buffers"])
        assert objective(name, instance, offsets) == least
        reference = prove(name, instance)
        assert reference.kind == "bound"
        assert reference.value == _largest_load(instance.public["buffers"]) <= least


@pytest.mark.parametrize("name", NAMES)
def test_the_height_of_a_rectangle(
    name: str, stream: random.Random, drawn: Callable[..., Any], prove: Any
) -> None:
    """Six pieces of a rectangle: its height is the optimum, as all orders say."""
    buffers, offsets, height = _rectangle(stream, 6)
    reference = prove(name, drawn({"buffers": buffers}, {"witness": offsets}))
    assert (reference.kind, reference.value) == ("optimum", height)
    assert _all_orders(buffers)[0] == height


def test_a_witness_that_is_none(drawn: Callable[..., Any], prove: Any) -> None:
    """Offsets of a cut rectangle that collide, or end above the largest load, are an error that says how."""
    public = {"buffers": [[0, 2, 3], [1, 3, 4]]}
    assert prove("memory-mapping", drawn(public, {"witness": [0, 3]})).value == 7
    with pytest.raises(ValueError, match="share time and memory"):
        prove("memory-mapping", drawn(public, {"witness": [0, 2]}))
    with pytest.raises(ValueError, match="got 8, expected the peak 7"):
        prove("memory-mapping", drawn(public, {"witness": [0, 4]}))
