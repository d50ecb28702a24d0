"""The two programmes of a step's packing against all ways to put samples together."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pulp
from gapsmith.evaluators.training.packing_stages import fewest_microbatches, smallest_last


def _partitions(items: list[int]) -> Iterator[list[list[int]]]:
    if not items:
        yield []
        return
    for rest in _partitions(items[1:]):
        yield [[items[0]], *rest]
        for place, block in enumerate(rest):
            yield [*rest[:place], [items[0], *block], *rest[place + 1 :]]


def _tiles(public: dict[str, Any], block: list[int]) -> int:
    samples = [public["samples"][i] for i in block]
    adapters = {adapter for adapter, _, _ in samples}
    sums = (sum(n for a, _, n in samples if a == adapter) for adapter in adapters)
    return sum(-(-total // public["tile"]) for total in sums)


def _least(model: pulp.LpProblem) -> int:
    model.solve(pulp.HiGHS(msg=False, gapRel=0))
    assert model.status == pulp.LpStatusOptimal
    return round(pulp.value(model.objective))


def test_fewest_and_smallest(stream: random.Random) -> None:
    """The fewest microbatches, then the fewest tiles of one; the capacity is no multiple of a tile."""
    for _ in range(6):
        samples = [[stream.randint(0, 1), 0, stream.randint(1, 300)] for _ in range(5)]
        public = {"samples": samples, "tile": 128, "capacity": stream.choice((384, 400, 600, 639))}
        step = stream.sample(range(5), 4)
        most = public["capacity"] // 128
        fits = [one for one in _partitions(step) if max(_tiles(public, b) for b in one) <= most]
        fewest = min(map(len, fits))
        model, put = fewest_microbatches(public, step, 4)
        assert _least(model) == fewest
        assert {i for i, _ in put} == set(step)
        smallest = min(_tiles(public, b) for one in fits if len(one) == fewest for b in one)
        assert _least(smallest_last(public, step, fewest)[0]) == smallest
