"""What the microbatches of a training step or pipeline waste."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json
from ..summaries import percent, plain, quantiles
from .pipeline import EMPTY, durations, padded_tiles, passes

_SHOWN = 4
"""Microbatches that are listed."""


def explain_step(public: Mapping[str, Any], answer: Json, group_times: Sequence[Sequence[int]]) -> str:
    """Time of the microbatches, the share of the devices' time that is waiting, and who waits most.

    Args:
        public: devices, overhead, degrees, lengths and times of an instance.
        answer: a list of microbatches, each a list of groups `[degree, sequences]`.
        group_times: of each microbatch the time of each group (units of 10 µs).
    """
    step: Any = answer
    devices, slowest = public["devices"], [max(times) for times in group_times]
    waits = []
    for microbatch, times, longest in zip(step, group_times, slowest, strict=True):
        busy = sum(degree * time for (degree, _), time in zip(microbatch, times, strict=True))
        waits.append(devices * longest - busy)
    total = sum(slowest) + public["overhead"] * len(step)
    degrees = Counter(degree for microbatch in step for degree, _ in microbatch)
    groups = ", ".join(f"{degrees[degree]} of {degree}" for degree in sorted(degrees))
    lines = [
        f"{len(step)} microbatches; overhead is {percent(public['overhead'] * len(step), total)} of the time "
        f"and devices wait {percent(sum(waits), devices * total)} of it.",
        f"Groups by their number of devices: {groups}.",
        "Microbatches whose devices wait most (groups as devices: sequences, time):",
    ]
    for place in sorted(range(len(step)), key=lambda m: -waits[m])[:_SHOWN]:
        parts = "; ".join(
            f"{degree}: {len(members)}, {time}"
            for (degree, members), time in zip(step[place][:8], group_times[place], strict=False)
        )
        lines.append(
            f"- microbatch {place}, {percent(waits[place], devices * slowest[place])} waiting: {parts}"
        )
    return "\n".join(lines)


def explain_pipeline(public: Mapping[str, Any], answer: Json) -> str:
    """How full the microbatches are, what pads them, where places are empty, and how long stages stand idle.

    Args:
        public: samples, tile, capacity, stages and times of an instance.
        answer: a list of microbatches, each a list of samples.
    """
    microbatches: Any = answer
    line, run = passes(public, microbatches)
    tiles = [0 if number == EMPTY else padded_tiles(public, microbatches[number]) for number in line]
    forward, backward = durations(public["times"], tiles)
    room = public["capacity"] // public["tile"]
    tokens = sum(sample[2] for sample in public["samples"])
    filled = [held for held in tiles if held]
    empty = [place for place, number in enumerate(line) if number == EMPTY]
    least = -(-tokens // public["capacity"])
    lines = [
        f"{len(microbatches)} microbatches, where the tokens alone need {least}; {len(empty)} empty places.",
        f"Tiles in a microbatch of {room} at {quantiles(filled)}.",
        f"Padding is {percent(sum(filled) * public['tile'] - tokens, tokens)} of the tokens.",
        f"Stages stand idle {percent(run.makespan - sum(forward) - sum(backward), run.makespan)} of the time "
        f"({run.makespan} ticks).",
        f"Tiles of the first places: {_row(tiles[:6])}; of the last: {_row(tiles[-6:])}.",
    ]
    if empty:
        cut = f" (12 of {len(empty)} shown)" if len(empty) > 12 else ""
        lines.append(f"Empty places (of {len(line)}): {_row(empty[:12])}{cut}.")
    adapters = {sample[0] for sample in public["samples"]}
    shared = [len({public["samples"][s][0] for s in microbatch}) for microbatch in microbatches]
    mean = plain(sum(shared) / len(shared))
    lines.append(f"A microbatch holds samples of {mean} of {len(adapters)} adapters in the mean.")
    return "\n".join(lines)


def _row(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
