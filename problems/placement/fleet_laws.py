"""Random workloads over GPU types: a mix of request lengths, a total rate, and what a slice costs where."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from ..strata import Cell, Draw
from .gpus import MARKET_LIST, PAPER_LIST, Gpu, throughput

CAPACITY = 1_000_000
"""One GPU in units of load."""
DOLLAR = 10_000
"""Prices are whole ten-thousandths of a dollar per hour."""
DEFAULT_CELLS = (
    (4, "documents"),
    (4, "mixed"),
    (8, "documents"),
    (8, "mixed"),
    (16, "mixed"),
    (16, "chat"),
)
"""Requests per second and kind of traffic: strata of the three splits."""
_PROMPTS = (1, 100, 400, 1_000, 4_000, 12_000)
_REPLIES = (1, 50, 150, 400, 1_000)
_SLICES = 8
_SMALLEST_SHARE = 0.004
_LATENCIES = (0.04, 0.12)
_MARKET_TYPES = 5


def cells(per_gpu: bool, shapes: Sequence[tuple[int, str]] = DEFAULT_CELLS) -> list[Cell]:
    """Strata of (requests per second, traffic); in the per-GPU form no slice is larger than a GPU."""
    return [Cell(f"rate={rate} {traffic}", partial(draw, rate, traffic, per_gpu)) for rate, traffic in shapes]


def draw(rate: int, traffic: str, per_gpu: bool, stream: random.Random) -> Draw:
    """One workload: log-normal prompt and reply lengths in 5 × 4 ranges, each range in 8 equal slices.

    Traffic is chats (prompts of about 60 to 250 tokens, replies of 120 to 300), documents (2000 to 5000
    and 100 to 300), or 80 % chats with 20 % documents. Ranges with less than 0.4 % of the requests are left
    out. A range's requests count with its largest lengths, and its latency target is 40 or 120 ms per output
    token. The types are the paper's four, or five of the market's nine. Draws with a range that no type
    serves are repeated.
    """
    while True:
        shares = _shares(_parts(traffic, stream))
        latency = stream.choice(_LATENCIES)
        types: Sequence[Gpu] = PAPER_LIST
        if stream.random() < 0.5:
            types = sorted(stream.sample(MARKET_LIST, _MARKET_TYPES), key=lambda gpu: gpu.price)
        loads = [
            [_load(rate * share / _SLICES, gpu, lengths, latency, per_gpu) for gpu in types]
            for lengths, share in sorted(shares.items())
        ]
        if all(any(load is not None for load in row) for row in loads):
            public = fleet(types, loads, [_SLICES] * len(loads))
            buckets = [f"{prompt}/{reply}" for prompt, reply in sorted(shares)]
            hidden = {"gpus": [gpu.name for gpu in types], "buckets": buckets}
            return Draw(public, scale(public["prices"]), hidden)


def fleet(types: Sequence[Gpu], loads: list[list[int | None]], slices: list[int]) -> dict[str, Any]:
    """Keyword arguments of a candidate."""
    prices = [gpu.price for gpu in types]
    return {"prices": prices, "loads": loads, "slices": slices, "capacity": CAPACITY}


def scale(prices: Sequence[int]) -> Fraction:
    """Price of the cheapest type, dollars per hour."""
    return Fraction(min(prices), DOLLAR)


def _load(rate: float, gpu: Gpu, lengths: tuple[int, int], latency: float, per_gpu: bool) -> int | None:
    most = throughput(gpu, *lengths, latency)
    if most == 0:
        return None
    load = max(1, round(CAPACITY * rate / most))
    return None if per_gpu and load > CAPACITY else load


def _parts(traffic: str, stream: random.Random) -> list[tuple[float, tuple[float, ...]]]:
    """Weight and (median prompt, spread, median reply, spread) of each kind of request."""
    u = stream.uniform
    chat: tuple[float, ...] = (u(60, 250), u(0.9, 1.3), u(120, 300), u(0.7, 1.0))
    documents: tuple[float, ...] = (u(2_000, 5_000), u(0.5, 0.9), u(100, 300), u(0.5, 0.8))
    kinds = {"chat": [(1.0, chat)], "documents": [(1.0, documents)], "mixed": [(0.8, chat), (0.2, documents)]}
    return kinds[traffic]


def _shares(parts: Sequence[tuple[float, tuple[float, ...]]]) -> dict[tuple[int, int], float]:
    """Longest lengths of each range → its share of the requests; the shares add up to 1."""
    shares: dict[tuple[int, int], float] = {}
    for weight, (prompt, prompt_spread, reply, reply_spread) in parts:
        for longest, p in _log_normal(_PROMPTS, prompt, prompt_spread):
            for most, q in _log_normal(_REPLIES, reply, reply_spread):
                shares[longest, most] = shares.get((longest, most), 0.0) + weight * p * q
    kept = {lengths: share for lengths, share in shares.items() if share >= _SMALLEST_SHARE}
    total = sum(kept.values())
    return {lengths: share / total for lengths, share in kept.items()}


def _log_normal(edges: Sequence[int], median: float, spread: float) -> list[tuple[int, float]]:
    """Upper end and probability of each range; the first and the last take the tails."""
    below = [0.5 * (1 + math.erf(math.log(edge / median) / spread / math.sqrt(2))) for edge in edges]
    below[0], below[-1] = 0.0, 1.0
    return [(edges[k + 1], below[k + 1] - below[k]) for k in range(len(edges) - 1)]
