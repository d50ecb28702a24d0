"""Honest: an order of jobs through three machines, the least time until all are done; no reference."""

from __future__ import annotations

import random

from gapsmith import Instance, Sense, Verdict

AS_LISTED = """
def order(times: list[list[int]]) -> list[int]:
    return list(range(len(times)))
"""
LONGEST_FIRST = """
def order(times: list[list[int]]) -> list[int]:
    return sorted(range(len(times)), key=lambda job: -sum(times[job]))
"""


class Shop:
    """Minimise the time until all jobs are done."""

    name = "shop"
    version = "1"
    sense = Sense.MINIMISE
    unit = "minutes"
    entry_point = "order"
    signature = "def order(times: list[list[int]]) -> list[int]:"
    statement = "Each job once, in the order in which all machines take them; times[job][machine] in minutes."

    def sets(self) -> dict[str, str]:
        """Name of each set → its size."""
        return {"train": "6", "valid": "4", "test": "4"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Twelve jobs each."""
        drawn = []
        for n in range(int(self.sets()[set])):
            stream = random.Random(f"{set} {seed} {n}")
            times = [[stream.randint(1, 99) for _ in range(3)] for _ in range(12)]
            drawn.append(Instance(f"{set}-{n}", set, "12", {"times": times}, 1, "drawn"))
        return drawn

    def start_programs(self) -> dict[str, str]:
        """Where a search starts."""
        return {"as-listed": AS_LISTED}

    def baselines(self) -> dict[str, str]:
        """The longest job first."""
        return {"longest-first": LONGEST_FIRST}

    def verify(self, instance: Instance, answer: object) -> Verdict:
        """Types, length, range, each job once; then the time."""
        times = instance.public["times"]
        if not isinstance(answer, list) or len(answer) != len(times):
            return Verdict.invalid("expected each job once")
        if not all(type(job) is int and 0 <= job < len(times) for job in answer):
            return Verdict.invalid("expected job numbers")
        if len(set(answer)) != len(times):
            return Verdict.infeasible("a job is there twice")
        done = [0, 0, 0]
        for job in answer:
            ready = 0
            for machine, minutes in enumerate(times[job]):
                ready = done[machine] = max(ready, done[machine]) + minutes
        return Verdict.valid(done[-1])
