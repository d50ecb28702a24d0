"""Random instances of model placement, and the community's fifty."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ..base import Instance
from ..strata import Cell, Draw

MEMORY = 80
"""GB of one GPU in the generated sets (A100 80 GB, H100)."""
DEFAULT_CELLS = ((4, 12, 70), (4, 16, 85), (8, 24, 70), (8, 24, 85), (8, 32, 85), (16, 48, 85))
"""GPUs, models, percent of all memory that weights fill: strata of the three splits."""
OPEN_CELLS = frozenset({(16, 48, 85), (16, 64, 85)})
"""Cells where references often stay bounds."""
_SIZE_SPREAD = 0.5
_RATE_SPREAD = 0.6
_MEAN_RATE = 10_000
_TARGETS = 2_520
"""Least common multiple of the community's latency targets 5 to 9: rate / target is whole in these units."""


def cells(shapes: Sequence[tuple[int, int, int]] = DEFAULT_CELLS) -> list[Cell]:
    """Strata of (GPUs, models, percent of memory filled); those that solvers leave open say so."""
    return [Cell(_name(shape), partial(draw, *shape)) for shape in shapes]


def draw(gpus: int, models: int, fill: int, stream: random.Random) -> Draw:
    """One instance: log-normal sizes scaled to fill `fill` percent of all memory, log-normal rates.

    Sizes (GB) have log-standard deviation 0.5, rates (thousandths of a request per second, mean 10 000)
    0.6, independent of each other. Draws that first fit by decreasing size cannot place with a free GB on
    every GPU are repeated, so that every instance has a placement that a simple rule finds.
    """
    while True:
        shares = [stream.lognormvariate(0, _SIZE_SPREAD) for _ in range(models)]
        factor = fill * MEMORY * gpus / 100 / sum(shares)
        sizes = [max(1, min(MEMORY - 10, round(share * factor))) for share in shares]
        shares = [stream.lognormvariate(0, _RATE_SPREAD) for _ in range(models)]
        factor = _MEAN_RATE * models / sum(shares)
        rates = [max(1, round(share * factor)) for share in shares]
        if first_fit(gpus, MEMORY, sizes) is not None:
            return Draw(public(gpus, MEMORY, sizes, rates), scale(gpus, MEMORY, rates))


def decided(gpus: int, models: int, stream: random.Random) -> Draw:
    """An instance where one large model alone decides the largest pressure: nothing to discover."""
    drawn = draw(gpus, models, 60, stream)
    sizes, rates = list(drawn.public["sizes"]), list(drawn.public["rates"])
    largest = max(range(models), key=lambda i: sizes[i])
    sizes[largest] = MEMORY - 8
    if first_fit(gpus, MEMORY, sizes) is None:
        return decided(gpus, models, stream)
    rates[largest] = 3 * max(rates)
    return Draw(public(gpus, MEMORY, sizes, rates), scale(gpus, MEMORY, rates))


def community() -> list[Instance]:
    """The fifty instances of the community's model-placement benchmark, by its published law.

    NumPy's legacy generator, seed 42; per test case GPUs uniform in 5 to 9 and twice as many models, each
    with size 10 to 29 GB, request rate 1 to 9 and latency target 5 to 9. A model's load is rate ÷ target,
    here in units of 1/2520. Source: the Prism problem of the ADRS leaderboard and of SkyDiscover; problem
    from Yu et al., Prism, arXiv:2505.04021.
    """
    import numpy as np

    legacy = np.random.RandomState(42)  # its streams are frozen for good (NEP 19)
    instances = []
    for number in range(1, 51):
        gpus = int(legacy.randint(5, 10))
        sizes, rates = [], []
        for _ in range(2 * gpus):
            size, rate, target = (int(legacy.randint(*ends)) for ends in ((10, 30), (1, 10), (5, 10)))
            sizes.append(size)
            rates.append(rate * _TARGETS // target)
        instances.append(
            Instance(
                id=f"community-{number:02d}",
                split="community",
                stratum=f"gpus={gpus} models={2 * gpus}",
                public=public(gpus, MEMORY, sizes, rates),
                scale=scale(gpus, MEMORY, rates),
                source="ADRS Prism benchmark: NumPy legacy generator, seed 42",
            )
        )
    return instances


def public(gpus: int, memory: int, sizes: list[int], rates: list[int]) -> dict[str, Any]:
    """Keyword arguments of a candidate: GPUs, GB per GPU, GB per model, load units per model."""
    return {"gpus": gpus, "memory": memory, "sizes": sizes, "rates": rates}


def scale(gpus: int, memory: int, rates: Sequence[int]) -> Fraction:
    """Mean load per GB of the whole fleet: what the largest pressure would be if weights took no memory."""
    return Fraction(sum(rates), gpus * memory)


def first_fit(gpus: int, memory: int, sizes: Sequence[int]) -> list[int] | None:
    """GPU per model by first fit, largest first, a GB left free on every GPU; None when it does not fit."""
    free = [memory - 1] * gpus
    answer = [0] * len(sizes)
    for model in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        gpu = next((g for g in range(gpus) if free[g] >= sizes[model]), None)
        if gpu is None:
            return None
        free[gpu] -= sizes[model]
        answer[model] = gpu
    return answer


def _name(shape: tuple[int, int, int]) -> str:
    gpus, models, fill = shape
    return f"gpus={gpus} models={models} fill=0.{fill}" + (" open" if shape in OPEN_CELLS else "")
