"""LoRAFusion's integer programmes: never worse than the greedy packing, and as few microbatches as can be."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from gapsmith.evaluators.training import packing_stages
from gapsmith.evaluators.training.packing_stages import Solver, pack
from gapsmith.problems.training.pipeline import padded_tiles

CAPACITY = 40


def public_of(stream: random.Random, samples: int) -> dict[str, Any]:
    """Samples of two adapters, one batch each."""
    return {
        "tile": 10,
        "capacity": CAPACITY,
        "samples": [[n % 2, 0, stream.randint(1, 35)] for n in range(samples)],
    }


def partitions(items: Sequence[int]) -> Any:
    """Every partition of the items into non-empty sets."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for n, part in enumerate(rest):
            yield [*rest[:n], [items[0], *part], *rest[n + 1 :]]


@pytest.mark.quick("cbc")
@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_fewest_and_smallest_last_by_brute_force(solver: Solver) -> None:
    """Starting from one sample a microbatch, the programmes reach the best of all partitions."""
    stream = random.Random(1)
    for _ in range(2):
        public = public_of(stream, 6)
        sizes = [
            sorted(padded_tiles(public, part) for part in parts)
            for parts in partitions(range(6))
            if all(padded_tiles(public, part) * 10 <= CAPACITY for part in parts)
        ]
        best = min((len(size), size[0]) for size in sizes)
        packed = pack(public, range(6), [[n] for n in range(6)], 20, solver)
        assert sorted(n for part in packed for n in part) == list(range(6))
        assert (len(packed), min(padded_tiles(public, part) for part in packed)) == best


def test_a_packing_that_nothing_improves_stays() -> None:
    """The greedy packing itself is the result where it is the best, and where no packing is feasible."""
    public = {"tile": 10, "capacity": CAPACITY, "samples": [[0, 0, 30], [1, 0, 30], [0, 0, 10], [1, 0, 10]]}
    best = [[1, 3], [2, 0]]
    assert pack(public, range(4), best, 20) == best
    public["samples"].append([0, 0, CAPACITY + 1])
    greedy = [[4], [3, 1], [0], [2]]
    assert pack(public, range(5), greedy, 20) == greedy


def test_as_few_microbatches_as_tiles_need_ask_for_no_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programme of the fewest microbatches is left out where tiles alone prove the packing's number."""
    solved = []

    def counted(model: Any, **options: Any) -> Any:
        solved.append(model.name)
        return solve(model, **options)

    solve = packing_stages.solve_mip
    monkeypatch.setattr(packing_stages, "solve_mip", counted)
    public = {"tile": 10, "capacity": CAPACITY, "samples": [[0, 0, 25], [1, 0, 12], [0, 0, 15]]}
    pack(public, range(3), [[0], [1, 2]], 20)
    assert solved == ["smallest"]
