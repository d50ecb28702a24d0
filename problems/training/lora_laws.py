"""Random LoRA training jobs: token lengths after public datasets, batches of published runs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from ..strata import Cell, Draw

TILE = 128
"""Tokens that a kernel pads an adapter's part of a microbatch to."""
TIMES = (4, 1, 8, 2)
"""Ticks of a forward pass, fixed and per tile, and of a backward pass (recomputation and input gradient)."""
EVEN_TIMES = (4, 1, 4, 1)
LONGEST = 4096
_SHORTEST = 32
_LAWS = {"xsum": (6.20, 0.60), "cnndm": (6.87, 0.50), "wikisum": (7.41, 0.50), "synthetic": (7.0, 0.50)}
"""Mean and standard deviation of the logarithm of a sample's tokens."""


@dataclass(frozen=True, slots=True)
class LoraShape:
    """What the instances of a stratum have in common.

    Attributes:
        laws: of the samples' lengths, one per adapter: a name of the laws, or `mix` (one of three datasets a
            sample).
        batches: global batches of each adapter.
        samples: of a batch.
        capacity: tokens of a microbatch.
        stages: of the pipeline.
    """

    laws: tuple[str, ...]
    batches: int
    samples: int
    capacity: int
    stages: int


SHAPES: Mapping[str, LoraShape] = {
    "xsum": LoraShape(("xsum",) * 4, 4, 16, 4096, 4),
    "cnndm": LoraShape(("cnndm",) * 4, 4, 16, 6144, 4),
    "wikisum": LoraShape(("wikisum",) * 4, 4, 16, 7168, 4),
    "het": LoraShape(("xsum", "cnndm", "wikisum", "mix"), 4, 16, 6144, 4),
    "synthetic": LoraShape(("synthetic",) * 4, 4, 16, 4096, 4),
    "pair": LoraShape(("synthetic",) * 2, 6, 16, 6144, 4),
    "small": LoraShape(("cnndm",) * 4, 4, 8, 4096, 4),
    "deep": LoraShape(("mix",) * 4, 2, 32, 6144, 8),
}


def cells(batches: int | None = None, tile: int = TILE, times: Sequence[int] = TIMES) -> list[Cell]:
    """The eight strata, with another number of batches, tile or times where a set asks for one."""
    return [
        Cell(name, partial(draw, shape if batches is None else replace(shape, batches=batches), tile, times))
        for name, shape in SHAPES.items()
    ]


def draw(shape: LoraShape, tile: int, times: Sequence[int], stream: random.Random) -> Draw:
    """One instance: samples in the order adapter, batch, arrival."""
    samples = [
        [adapter, batch, _length(law, stream)]
        for adapter, law in enumerate(shape.laws)
        for batch in range(shape.batches)
        for _ in range(shape.samples)
    ]
    public = {
        "stages": shape.stages,
        "capacity": shape.capacity,
        "tile": tile,
        "times": list(times),
        "samples": samples,
    }
    return Draw(public, scale(times, samples, tile))


def scale(times: Sequence[int], samples: Sequence[Sequence[int]], tile: int) -> Fraction:
    """Ticks that one stage works on all tokens, fixed times aside; the least denominator of a loss."""
    tokens = sum(length for _, _, length in samples)
    return max(Fraction(1), Fraction((times[1] + times[3]) * tokens, tile))


def _length(law: str, stream: random.Random) -> int:
    """Tokens of one sample, cut to [32, 4096]."""
    name = stream.choice(("xsum", "cnndm", "wikisum")) if law == "mix" else law
    mean, spread = _LAWS[name]
    return min(LONGEST, max(_SHORTEST, round(stream.lognormvariate(mean, spread))))
