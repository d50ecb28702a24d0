"""Builds the shipped references of memory mapping: offsets whose peak is the largest load.

    python benchmarks/memory_references.py --seconds 20

Writes evaluators/memory/data/memory-mapping.json.gz for the splits of seed 1. What is in the file already is
kept, and instances whose law hands over its own offsets are left out. Prints one line per instance. CP-SAT
runs with one worker until its time is over, so another machine may attain the load on other instances; what
ships is judged by the problem's verification alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gapsmith.evaluators.memory import store
from gapsmith.evaluators.memory.models import memory_model
from gapsmith.evaluators.toolbox import solve_cpsat
from gapsmith.problems.base import Instance
from gapsmith.problems.memory import memory_mapping
from gapsmith.problems.memory.verification import largest_load

FILE = Path(__file__).resolve().parents[1] / "evaluators" / "memory" / "data" / "memory-mapping.json.gz"


def main() -> None:
    """Reads the command line and writes the data file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=20, help="wall seconds that one instance may take")
    seconds = parser.parse_args().seconds
    table: dict[str, Sequence[int]] = {}
    for split in ("train", "valid", "test"):
        for instance in memory_mapping().instances(split, 1):
            if instance.hidden is not None:
                continue
            offsets = store.offsets(instance.digest) or attained(instance, seconds)
            if offsets is not None:
                table[instance.digest] = offsets
                FILE.write_bytes(store.encode(table))


def attained(instance: Instance, seconds: float) -> list[int] | None:
    """Offsets that end at the largest load, or None if the solver finds none in time."""
    buffers = instance.public["buffers"]
    bound = largest_load(buffers)
    memory = memory_model(buffers, greedy(instance))
    solved = solve_cpsat(memory.model, seconds=seconds, known_bound=bound)
    value = solved.value
    above = "no answer" if value is None else f"{100 * (value / bound - 1):.2f} % above"
    print(
        f"{instance.id:10} {instance.stratum:10} load {bound:5} {above} {solved.seconds:6.1f} s", flush=True
    )
    return [int(solved[offset]) for offset in memory.offsets] if value == bound else None


def greedy(instance: Instance) -> list[int]:
    """The best answer of the shipped programs."""
    answers = []
    for source in memory_mapping().baselines().values():
        scope: dict[str, Any] = {}
        exec(source, scope)
        answers.append(scope["place"]([row[:] for row in instance.public["buffers"]]))
    problem = memory_mapping()
    return min(answers, key=lambda answer: problem.verify(instance, answer).objective)


if __name__ == "__main__":
    main()
