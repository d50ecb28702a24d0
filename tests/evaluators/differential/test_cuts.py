"""Parts and cuts of graphs against all sets of nodes."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
from gapsmith.evaluators.classics.cuts import components, cut_below, least_cut

NODES = 7


def _graph(stream: random.Random, share: float) -> Any:
    weights = np.zeros((NODES, NODES))
    for i, j in combinations(range(NODES), 2):
        if stream.random() < share:
            weights[i, j] = weights[j, i] = stream.randint(1, 9) / 2
    return weights


def _cuts(weights: Any) -> list[tuple[float, set[int]]]:
    """Weight and side without node 0 of every cut."""
    found = []
    for size in range(1, NODES):
        for side in combinations(range(1, NODES), size):
            rest = [node for node in range(NODES) if node not in side]
            found.append((float(weights[np.ix_(side, rest)].sum()), set(side)))
    return found


def test_parts_of_graphs(stream: random.Random) -> None:
    """Each part is closed under neighbours, connected, and all together are the nodes."""
    for _ in range(30):
        weights = _graph(stream, 0.2)
        parts = components(weights > 0)
        assert (sum(part.astype(int) for part in parts) == 1).all()
        for part in parts:
            inside = {int(node) for node in np.flatnonzero(part)}
            reached, waiting = set[int](), [min(inside)]
            while waiting:
                node = waiting.pop()
                reached.add(node)
                waiting += [int(k) for k in np.flatnonzero(weights[node]) if int(k) not in reached]
            assert inside == reached


def test_least_cuts(stream: random.Random) -> None:
    """Weight and side are those of the least of all cuts; an early end gives a cut below the limit."""
    for _ in range(30):
        weights = _graph(stream, 0.6)
        least = min(weight for weight, _ in _cuts(weights))
        value, side = least_cut(weights)
        assert value == least == weights[side][:, ~side].sum()
        early, part = least_cut(weights, least + 3)
        assert early == weights[part][:, ~part].sum() < least + 3
        assert 0 < side.sum() < NODES


def test_cuts_between_two_nodes(stream: random.Random) -> None:
    """The side of the target is a least cut if that is below the limit, else there is none."""
    for _ in range(30):
        weights = _graph(stream, 0.6)
        target = stream.randrange(1, NODES)
        least = min(weight for weight, side in _cuts(weights) if target in side)
        side = cut_below(weights, 0, target, least + 0.5)
        assert side[target]
        assert not side[0]
        assert weights[side][:, ~side].sum() == least
        assert cut_below(weights, 0, target, least) is None
