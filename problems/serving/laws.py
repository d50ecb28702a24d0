"""Random requests to a language model: lengths of prompts and outputs, arrivals, and the strata."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..strata import Cell, Draw

Lengths = Callable[[random.Random, int], tuple[int, int]]
"""From the memory of a worker (tokens) to a prompt and an output (tokens)."""
Arrivals = Callable[[random.Random, int, float], list[int]]
"""From the number of requests and a span (rounds) to sorted arrivals (rounds)."""

HIDDEN = ("arrivals", "prompts", "outputs")
"""The part of an instance that the online form hides."""


def chat(stream: random.Random, memory: int) -> tuple[int, int]:
    """Lognormal: prompts around 4 % of the memory, at most a third of it; outputs around 12, at most 60."""
    prompt = min(memory // 3, max(1, round(0.04 * memory * stream.lognormvariate(0, 0.9))))
    return prompt, min(60, max(1, round(12 * stream.lognormvariate(0, 0.8))))


def mixed(stream: random.Random, memory: int) -> tuple[int, int]:
    """Half small prompts with exponential outputs, a quarter large prompts, a quarter long outputs."""
    kind = stream.random()
    if kind < 0.5:
        prompt = round(0.03 * memory * stream.uniform(0.3, 1.7))
        return max(1, prompt), min(60, max(1, round(stream.expovariate(1 / 12))))
    if kind < 0.75:
        return round(memory * stream.uniform(0.2, 0.6)), stream.randint(1, 8)
    return max(1, round(0.01 * memory)), stream.randint(25, 60)


def at_once(stream: random.Random, count: int, span: float) -> list[int]:
    """All at round 0."""
    return [0] * count


def uniform(stream: random.Random, count: int, span: float) -> list[int]:
    """Uniform over the span."""
    return sorted(int(stream.uniform(0, span)) for _ in range(count))


def bursts(stream: random.Random, count: int, span: float) -> list[int]:
    """One in twelve as many random moments, each request at one of them."""
    moments = [int(stream.uniform(0, span)) for _ in range(max(1, count // 12))]
    return sorted(stream.choice(moments) for _ in range(count))


def area(prompt: int, output: int) -> int:
    """Memory that a request holds, added up over its rounds: token-rounds."""
    return prompt * output + output * (output + 1) // 2


def draw(
    count: int,
    workers: int,
    lengths: Lengths,
    arrivals: Arrivals,
    load: float,
    stream: random.Random,
    memory: int = 300,
) -> Draw:
    """Requests whose areas fill the workers' memory `load` times over the span of the arrivals."""
    pairs = [lengths(stream, memory) for _ in range(count)]
    span = sum(area(*pair) for pair in pairs) / (workers * memory * load)
    public: dict[str, Any] = {
        "workers": workers,
        "memory": memory,
        "arrivals": arrivals(stream, count, span),
        "prompts": [prompt for prompt, _ in pairs],
        "outputs": [output for _, output in pairs],
    }
    return Draw(public, scale(public["outputs"]))


def scale(outputs: Sequence[int]) -> int:
    """Rounds of service of all requests: no sum of latencies is below."""
    return sum(outputs)


def hide(cell: Cell) -> Cell:
    """The same stratum with its requests hidden."""

    def online(stream: random.Random) -> Draw:
        whole = cell.draw(stream)
        public, hidden = parts(whole.public)
        return Draw(public, whole.scale, hidden)

    return Cell(cell.stratum, online)


def parts(whole: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Public and hidden part of an online instance."""
    public = {key: value for key, value in whole.items() if key not in HIDDEN}
    return public, {key: whole[key] for key in HIDDEN}


STRATA = (
    Cell("60 chat at once", partial(draw, 60, 1, chat, at_once, 1.0)),
    Cell("60 chat bursts", partial(draw, 60, 1, chat, bursts, 1.2)),
    Cell("60 mixed uniform", partial(draw, 60, 1, mixed, uniform, 1.2)),
    Cell("80 mixed bursts 2 workers", partial(draw, 80, 2, mixed, bursts, 1.3)),
)
"""Loads above 1: below, starting whatever fits is optimal."""
