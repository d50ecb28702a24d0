"""Permutation flow shop: all jobs visit the machines in the same order; when is the last one done?

    gapsmith problems check examples/flow_shop.py
    gapsmith run examples/flow_shop.py --seconds 60

The search gets the makespan as source text and builds local search from it (`moves`).
"""

from __future__ import annotations

import random
from typing import Annotated

from gapsmith import Instance, Json, Moves, Parameter, ProofKind, Reference, Sense, Verdict

NEH = '''\
def order(times: list[list[int]]) -> list[int]:
    """Longest total time first, each job at the place of least makespan (Nawaz, Enscore and Ham 1983)."""
    jobs = sorted(range(len(times)), key=lambda j: -sum(times[j]))
    chosen = []
    for j in jobs:
        trials = [chosen[:place] + [j] + chosen[place:] for place in range(len(chosen) + 1)]
        chosen = min(trials, key=lambda trial: makespan(trial, times))
    return chosen


def makespan(jobs: list[int], times: list[list[int]]) -> int:
    """End of the last job, time units."""
    ends = [0] * len(times[0])
    for j in jobs:
        end = 0
        for machine, time in enumerate(times[j]):
            end = max(end, ends[machine]) + time
            ends[machine] = end
    return ends[-1]
'''

PALMER = '''\
def order(times: list[list[int]]) -> list[int]:
    """Jobs whose times grow from machine to machine first (slope index, Palmer 1965)."""
    machines = len(times[0])
    slope = [sum((2 * m - machines + 1) * time for m, time in enumerate(row)) for row in times]
    return sorted(range(len(times)), key=lambda j: -slope[j])
'''

MOVES = '''\
def objective(answer, times):
    """Makespan, time units."""
    ends = [0] * len(times[0])
    for j in answer:
        end = 0
        for machine, time in enumerate(times[j]):
            if ends[machine] > end:
                end = ends[machine]
            end += time
            ends[machine] = end
    return end
'''


class FlowShop:
    """Minimise the makespan (time units) of a permutation flow shop."""

    name = "flow-shop"
    version = "1"
    sense = Sense.MINIMISE
    unit = "time units"
    entry_point = "order"
    signature = "def order(times: list[list[int]]) -> list[int]:"
    statement = (
        "Every job visits the machines in the order 0, 1, 2, …, and every machine takes the jobs in one and "
        "the same order, one at a time. times[j][m] is the time of job j on machine m, an integer. Return "
        "that order, a permutation of 0 to len(times) - 1. Minimise the time at which the last job is done."
    )

    def __init__(
        self,
        jobs: Annotated[int, Parameter("jobs of each instance", "jobs", 2, 500)] = 30,
        machines: Annotated[int, Parameter("machines of each instance", "machines", 1, 50)] = 10,
    ) -> None:
        """Takes the `[problem]` table of a configuration."""
        self.jobs = jobs
        self.machines = machines

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {
            "train": "20 shops that steer the search",
            "valid": "20 shops that choose the best heuristic",
            "test": "40 shops that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Uniform times from 1 to 99, as in Taillard's instances."""
        count = {"train": 20, "valid": 20, "test": 40}[set]
        stream = random.Random(f"{self.name} {set} {seed}")
        return [self._draw(stream, set, number) for number in range(count)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        times = [[stream.randint(1, 99) for _ in range(self.machines)] for _ in range(self.jobs)]
        return Instance(
            id=f"{set}-{number:03}",
            split=set,
            stratum="uniform",
            public={"times": times},
            scale=1,
            source="uniform times from 1 to 99",
        )

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"palmer": PALMER, "neh": NEH}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"palmer": PALMER, "neh": NEH}

    def moves(self) -> Moves:
        """The makespan, and that an answer is a permutation."""
        return Moves(MOVES, kind="permutation")

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The makespan of a permutation."""
        times = instance.public["times"]
        if not isinstance(answer, list) or not all(type(j) is int for j in answer):
            return Verdict.invalid("expected a list of job numbers")
        if len(answer) != len(times) or not all(0 <= j < len(times) for j in answer):
            return Verdict.invalid(f"expected {len(times)} job numbers from 0 to {len(times) - 1}")
        if len(set(answer)) != len(times):
            return Verdict.invalid("expected every job once")
        ends = [0] * len(times[0])
        for j in answer:
            end = 0
            for machine, time in enumerate(times[j]):
                end = max(end, ends[machine]) + time
                ends[machine] = end
        return Verdict.valid(ends[-1])

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """A proven bound: each machine's work, with the shortest ways to it and from it."""
        times = instance.public["times"]
        bound = 0
        for machine in range(len(times[0])):
            work = sum(row[machine] for row in times)
            before = min(sum(row[:machine]) for row in times)
            after = min(sum(row[machine + 1 :]) for row in times)
            bound = max(bound, before + work + after)
        return Reference.proven_bound(bound, ProofKind.ARITHMETIC, "machine bound", "1", None, "computed")
