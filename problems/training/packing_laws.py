"""Random training steps: sequence lengths after public corpora, and what a sequence costs a group."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from ..strata import Cell, Draw

OVERHEAD = 62_936
"""Fixed time of a microbatch (parameters gathered, gradients reduced) in units of 10 µs, 7B model."""
_QUADRATIC = Fraction(5_128, 10**6)
_LINEAR = Fraction(1_839_576, 10**4)
"""Computation of a sequence of s tokens: _QUADRATIC · s² + _LINEAR · s µs of one device, 7B model."""
_MEGABYTES = 2
"""All-to-all traffic per token: 4 exchanges · 2 passes · 32 layers · 4096 values · 2 bytes."""
_BANDWIDTH = {2: Fraction(154), 4: Fraction(137), 8: Fraction(121)}
_BEYOND_NODE = Fraction(87, 10)
"""GB per second of the exchange in groups of this degree; beyond a node of 8 it is one number."""
_MICROSECONDS = 10

BINS: Mapping[str, Sequence[tuple[int, int, float]]] = {
    "wikipedia": (
        (32, 1024, 0.8238),
        (1024, 2048, 0.1074),
        (2048, 4096, 0.0466),
        (4096, 8192, 0.0164),
        (8192, 16384, 0.0047),
        (16384, 32768, 0.0007),
        (32768, 65536, 0.0004),
    ),
    "web": (
        (64, 1024, 0.52),
        (1024, 4096, 0.30),
        (4096, 16384, 0.13),
        (16384, 65536, 0.043),
        (65536, 131072, 0.007),
    ),
    "code": (
        (64, 1024, 0.45),
        (1024, 4096, 0.33),
        (4096, 16384, 0.14),
        (16384, 65536, 0.06),
        (65536, 196608, 0.02),
    ),
}
"""Corpus → shortest, longest tokens of a bin and its share; lengths are log-uniform within a bin."""


@dataclass(frozen=True, slots=True)
class PackingShape:
    """What the instances of a stratum share: corpus, sequences, devices, longest, tokens of a device."""

    corpus: str
    sequences: int
    devices: int
    longest: int
    capacity: int


SHAPES: Mapping[str, PackingShape] = {
    "web-16k": PackingShape("web", 128, 16, 16_384, 8_192),
    "web-32k": PackingShape("web", 192, 32, 32_768, 8_192),
    "code-32k": PackingShape("code", 128, 32, 32_768, 8_192),
    "wikipedia": PackingShape("wikipedia", 256, 16, 32_768, 8_192),
    "web-64k": PackingShape("web", 192, 32, 65_536, 16_384),
    "code-64k": PackingShape("code", 192, 32, 65_536, 16_384),
}
LONG_TAIL: Mapping[str, PackingShape] = {
    "web-128k": PackingShape("web", 256, 64, 131_072, 16_384),
    "code-128k": PackingShape("code", 192, 64, 131_072, 16_384),
}
SMALL: Mapping[str, PackingShape] = {"small": PackingShape("web", 14, 8, 16_384, 8_192)}


def cells(shapes: Mapping[str, PackingShape] = SHAPES) -> list[Cell]:
    """The strata with these shapes."""
    return [Cell(name, partial(draw, shape)) for name, shape in shapes.items()]


def draw(shape: PackingShape, stream: random.Random) -> Draw:
    """One training step: lengths in order of arrival."""
    lengths = [_length(shape, stream) for _ in range(shape.sequences)]
    public = public_part(shape.devices, shape.capacity, OVERHEAD, lengths)
    return Draw(public, OVERHEAD)


def public_part(
    devices: int,
    capacity: int,
    overhead: int,
    lengths: Sequence[int],
    costs: Sequence[tuple[Fraction, Fraction]] | None = None,
) -> dict[str, object]:
    """What a candidate sees of a training step.

    Args:
        devices: in all, ≥ 1.
        capacity: tokens of one device.
        overhead: of a microbatch, units of 10 µs.
        lengths: tokens of each sequence.
        costs: for each degree, units of 10 µs per token squared and per token; the 7B model's if None.
    """
    degrees = [2**j for j in range(devices.bit_length()) if 2**j <= devices]
    parts = [_over_one(cost) for cost in costs or [model_cost(degree) for degree in degrees]]
    times = [
        [
            _rounded_up(part, length) if length <= degree * capacity else 0
            for degree, part in zip(degrees, parts, strict=True)
        ]
        for length in lengths
    ]
    return {
        "devices": devices,
        "capacity": capacity,
        "overhead": overhead,
        "degrees": degrees,
        "lengths": list(lengths),
        "times": times,
    }


def model_cost(degree: int) -> tuple[Fraction, Fraction]:
    """Units of 10 µs per token squared, and per token, that a sequence of the 7B model adds to a group."""
    quadratic = _QUADRATIC / degree / _MICROSECONDS
    linear = _LINEAR / degree / _MICROSECONDS
    if degree > 1:
        bandwidth = _BANDWIDTH.get(degree, _BEYOND_NODE)
        linear += Fraction(1_000 * _MEGABYTES) / (degree * bandwidth) / _MICROSECONDS
    return quadratic, linear


def _over_one(cost: tuple[Fraction, Fraction]) -> tuple[int, int, int]:
    """Both numbers over one denominator."""
    (a, b), (c, d) = (part.as_integer_ratio() for part in cost)
    return a * d, c * b, b * d


def _rounded_up(parts: tuple[int, int, int], tokens: int) -> int:
    """Units of 10 µs, rounded up and at least 1; exact, so no platform's floats decide."""
    quadratic, linear, denominator = parts
    return max(1, -(-(quadratic * tokens + linear) * tokens // denominator))


def _length(shape: PackingShape, stream: random.Random) -> int:
    """Tokens of one sequence, drawn again while it is longer than the longest."""
    bins = BINS[shape.corpus]
    while True:
        low, high, _ = stream.choices(bins, [share for _, _, share in bins])[0]
        tokens = int(low * (high / low) ** stream.random())
        if tokens <= shape.longest:
            return tokens
