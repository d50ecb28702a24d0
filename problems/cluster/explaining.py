"""What became of the free room of a fleet: what was placed, and what is stranded in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import Json
from ..summaries import percent, quantiles
from .verification import replay, stranded

_SHOWN = 6
"""Machines that are listed."""


def explain_fleet(public: Mapping[str, Any], jobs: Sequence[Sequence[int]], answer: Json) -> str:
    """Demands that were placed, free room at the end, and the machines that strand most.

    Args:
        public: a machine's capacity, and the free room of the snapshot.
        jobs: the queue; of jobs that were left out nothing is told.
        answer: valid decisions.
    """
    fleet, placed = replay(public, jobs, answer)
    demands = [job for _, job in placed]
    rooms = sum(public["free_cpu"]), sum(public["free_memory"])
    free = sum(fleet.free_cpu), sum(fleet.free_memory)
    lost = stranded(fleet, demands)
    lines = [
        f"{len(placed)} jobs were placed on {len(fleet.free_cpu)} machines of {public['cpu']} cpu and "
        f"{public['memory']} memory.",
    ]
    if demands:
        lines.append(
            f"Their cpu at {quantiles([job[0] for job in demands])}; "
            f"memory at {quantiles([job[1] for job in demands])}."
        )
    lines += [
        f"Free in the end: {percent(free[0], rooms[0])} of the free cpu, {percent(free[1], rooms[1])} of the "
        "free memory of the beginning.",
        f"Stranded (on machines that no placed job would fit any more): {percent(lost[0], rooms[0])} of that "
        f"cpu, {percent(lost[1], rooms[1])} of that memory.",
        "Machines with most room in the end (cpu, memory; of the beginning):",
    ]
    shares = [
        cpu / public["cpu"] + memory / public["memory"]
        for cpu, memory in zip(fleet.free_cpu, fleet.free_memory, strict=True)
    ]
    for m in sorted(range(len(shares)), key=lambda m: -shares[m])[:_SHOWN]:
        before = f"{public['free_cpu'][m]}, {public['free_memory'][m]}"
        lines.append(f"- machine {m}: {fleet.free_cpu[m]}, {fleet.free_memory[m]}; of {before}")
    return "\n".join(lines)
