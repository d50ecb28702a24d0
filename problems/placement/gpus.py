"""GPU types with dated public prices, and a model of how many requests per second one of them serves."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gpu:
    """One rentable type, from its data sheet and a price list.

    Attributes:
        name: as in the price list.
        memory: GB, > 0.
        bandwidth: of memory, GB/s, > 0.
        compute: dense 16-bit tensor operations, 10¹² per second, > 0.
        price: ten-thousandths of a dollar per hour, > 0.
    """

    name: str
    memory: int
    bandwidth: int
    compute: int
    price: int


PAPER_LIST = (
    Gpu("L4", 24, 300, 121, 7_000),
    Gpu("A10G", 24, 600, 125, 10_100),
    Gpu("A100-80GB", 80, 2_039, 312, 36_700),
    Gpu("H100", 80, 3_350, 989, 75_160),
)
"""The four types and prices of Griggs et al., Mélange, arXiv:2404.14527 (2024)."""

MARKET_LIST = (
    Gpu("RTX 4090", 24, 1_008, 165, 6_000),
    Gpu("L4", 24, 300, 121, 7_800),
    Gpu("L40S", 48, 864, 362, 14_000),
    Gpu("RTX PRO 6000", 96, 1_792, 503, 15_700),
    Gpu("A100 PCIe", 80, 1_935, 312, 21_000),
    Gpu("A100 SXM", 80, 2_039, 312, 24_500),
    Gpu("H100 PCIe", 80, 2_000, 756, 35_100),
    Gpu("H100 SXM", 80, 3_350, 989, 47_600),
    Gpu("H200", 141, 4_800, 989, 63_500),
)
"""On-demand prices of one provider (RunPod) as listed by deploybase.ai on 10 March 2026."""

_WEIGHTS = 13.48
_PARAMETERS = 6.74
_CACHE_PER_TOKEN = 0.000524288
_USABLE_MEMORY = 0.9
_USABLE_BANDWIDTH = 0.7
_USABLE_COMPUTE = 0.5


def throughput(gpu: Gpu, prompt: int, reply: int, latency: float) -> float:
    """Requests per second that one GPU serves, 0 if it cannot meet the target; a model, not a measurement.

    Llama-2-7B in 16 bits: 13.48 GB of weights, 0.524 MB of key-value cache per token (32 layers × 4096 ×
    2 × 2 bytes). The batch is the largest whole number b of requests whose caches at full length fit 90 %
    of the memory beside the weights, and whose decoding step, (weights + b · mean cache) ÷ 70 % of the
    bandwidth, takes at most the latency target. A request holds its place for `reply` steps, and the
    batch spends 2 · parameters · prompt operations at 50 % of the peak on the prompt of each request:
    rate = b / (reply · step + b · prompt time). This is the memory and bandwidth roofline that the
    measured curves of arXiv:2404.14527 follow; profiles of one's own go in through a file.

    Args:
        gpu: the type.
        prompt: tokens, ≥ 1.
        reply: tokens, ≥ 1.
        latency: target of the time per output token, seconds, > 0.
    """
    bandwidth = gpu.bandwidth * _USABLE_BANDWIDTH
    longest = _CACHE_PER_TOKEN * (prompt + reply)
    mean = _CACHE_PER_TOKEN * (prompt + reply / 2)
    by_memory = (gpu.memory * _USABLE_MEMORY - _WEIGHTS) / longest
    by_latency = (latency * bandwidth - _WEIGHTS) / mean
    batch = math.floor(min(by_memory, by_latency))
    if batch < 1:
        return 0.0
    step = (_WEIGHTS + batch * mean) / bandwidth
    prefill = 2 * _PARAMETERS * prompt / (1_000 * gpu.compute * _USABLE_COMPUTE)
    return batch / (reply * step + batch * prefill)
