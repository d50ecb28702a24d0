"""A pipeline of microbatches: the places that the distance rule asks for, and 1F1B in exact integers.

1F1B (one forward, one backward) is the schedule of PipeDream-Flush: Narayanan et al., ICML 2021,
arXiv:2006.09503.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

EMPTY = -1
"""A place of the pipeline that no microbatch takes."""


@dataclass(frozen=True, slots=True)
class Passes:
    """When every place passes every stage, in ticks.

    Attributes:
        forward: [stage][place] → start of the forward pass.
        backward: [stage][place] → start of the backward pass.
        makespan: end of the last backward pass on stage 0.
    """

    forward: list[list[int]]
    backward: list[list[int]]
    makespan: int


def padded_tiles(public: Mapping[str, Any], microbatch: Sequence[int]) -> int:
    """Tiles of a microbatch: the tokens of each adapter in it, rounded up to whole tiles, added up."""
    tokens: dict[int, int] = {}
    for sample in microbatch:
        adapter, _, length = public["samples"][sample]
        tokens[adapter] = tokens.get(adapter, 0) + length
    return sum(-(-total // public["tile"]) for total in tokens.values())


def places(public: Mapping[str, Any], microbatches: Sequence[Sequence[int]]) -> list[int]:
    """The pipeline's places in order: the number of a microbatch, or `EMPTY`.

    A batch may start `stages` places after the last place of its adapter's previous batch. Every microbatch
    takes the earliest place that this allows, so there are as few empty places as possible. Batch numbers of
    an adapter must not decrease along the list.
    """
    line: list[int] = []
    last: dict[int, tuple[int, int]] = {}
    for number, microbatch in enumerate(microbatches):
        batches = {public["samples"][s][0]: public["samples"][s][1] for s in microbatch}
        earliest = len(line)
        for adapter, batch in batches.items():
            previous, place = last.get(adapter, (batch, 0))
            if previous != batch:
                earliest = max(earliest, place + public["stages"])
        line += [EMPTY] * (earliest - len(line))
        line.append(number)
        last |= {adapter: (batch, earliest) for adapter, batch in batches.items()}
    return line


def durations(times: Sequence[int], tiles: Sequence[int]) -> tuple[list[int], list[int]]:
    """Forward and backward ticks of one stage for each place; a place without tiles takes no time."""
    f0, f1, b0, b1 = times
    return [f0 + f1 * k if k else 0 for k in tiles], [b0 + b1 * k if k else 0 for k in tiles]


def simulate(stages: int, forward: Sequence[int], backward: Sequence[int]) -> Passes:
    """Runs 1F1B: stage s does `stages` − s − 1 forward passes, then one backward, one forward, and so on.

    Args:
        stages: of the pipeline, ≥ 1.
        forward, backward: ticks that each place (≥ 1 places) takes on every stage.
    """
    length = len(forward)
    f_start = [[0] * length for _ in range(stages)]
    b_start = [[0] * length for _ in range(stages)]
    free = [0] * stages  # when each stage ends what it was given last
    for step in range(length + stages - 1):
        for s in range(stages):
            if step < length:
                arrival = f_start[s - 1][step] + forward[step] if s else 0
                f_start[s][step] = start = max(free[s], arrival)
                free[s] = start + forward[step]
            back = step - (stages - s - 1)
            if 0 <= back < length:
                arrival = b_start[s + 1][back] + backward[back] if s + 1 < stages else 0
                b_start[s][back] = start = max(free[s], arrival)
                free[s] = start + backward[back]
    return Passes(f_start, b_start, free[0])


def passes(public: Mapping[str, Any], microbatches: Sequence[Sequence[int]]) -> tuple[list[int], Passes]:
    """Places of a feasible answer and when they pass the stages."""
    line = places(public, microbatches)
    tiles = [0 if number == EMPTY else padded_tiles(public, microbatches[number]) for number in line]
    return line, simulate(public["stages"], *durations(public["times"], tiles))
