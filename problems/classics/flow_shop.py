"""The permutation flow shop, as an order of jobs and as rules: one appends jobs, one inserts them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..base import Drawing, Instance, Json, Moves, Sense, Verdict
from ..faults import objective_of, permutation_fault
from ..programs import program
from ..rule_form import PURE, RuleForm, rule_text
from ..shops.explaining import explain_schedule
from ..shops.gantt import gantt
from ..strata import Cell, Draw
from ..stratified import StratifiedProblem
from . import flow_shop_texts as texts
from . import taillard

SIZES = ((20, 5), (15, 5), (10, 10))
"""Jobs and machines of the strata: sizes that CP-SAT proves in seconds."""


def draw_shop(jobs: int, machines: int, stream: random.Random) -> Draw:
    """Times uniform from 1 to 99, the law of Taillard's instances."""
    times = [[stream.randint(1, 99) for _ in range(machines)] for _ in range(jobs)]
    return Draw({"times": times}, 1)


CELLS = tuple(Cell(f"{n}x{m}", partial(draw_shop, n, m)) for n, m in SIZES)


def starts(times: Sequence[Sequence[int]], order: Sequence[int]) -> list[list[int]]:
    """Earliest start of each operation, one list per job, if the jobs come in this order."""
    free = [0] * len(times[0])
    begins: list[list[int]] = [[] for _ in times]
    for job in order:
        end = 0
        for machine, time in enumerate(times[job]):
            begin = max(end, free[machine])
            begins[job].append(begin)
            end = free[machine] = begin + time
    return begins


def judge(public: Mapping[str, Any], answer: Json) -> Verdict:
    """Valid with its makespan iff the answer is a permutation of the jobs; exact integers."""
    times = public["times"]
    if fault := permutation_fault(answer, len(times), "job"):
        return Verdict.invalid(fault)
    order: Any = answer
    return Verdict.valid(starts(times, order)[order[-1]][-1] + int(times[order[-1]][-1]))


def as_job_shop(public: Mapping[str, Any]) -> dict[str, Any]:
    """The same shop as a job shop whose routes are all 0, 1, 2, …"""
    machines = len(public["times"][0])
    routes = [list(range(machines)) for _ in public["times"]]
    return {"machines": machines, "routes": routes, "times": public["times"]}


class FlowShop(StratifiedProblem):
    """F | prmu | Cmax: minimise the makespan (time units) of an order of the jobs."""

    name = stream = "flow-shop"
    law = "random flow shop"
    cells = CELLS
    other_sets = taillard.sets()
    version = "1"
    sense = Sense.MINIMISE
    unit = "time units"
    entry_point = "sequence"
    signature = "def sequence(times: list[list[int]]) -> list[int]:"
    statement = texts.SEQUENCE
    instance_format = taillard.FORMAT
    package = __package__
    start_ids: Sequence[str] = ("palmer", "neh")
    baseline_ids: Sequence[str] = texts.SEQUENCE_PROGRAMS
    expressions = texts.SEQUENCE_PRIMITIVES
    judge = staticmethod(judge)

    def __init__(self, rounds: Mapping[str, int], most_operations: int) -> None:
        """Takes the sizes of the splits, and the operations that an instance of a file may have."""
        super().__init__(rounds)
        self.most_operations = most_operations

    def other(self, set: str, seed: int) -> list[Instance]:
        """Taillard's instances."""
        return taillard.instances(set)

    def moves(self) -> Moves | None:
        """The makespan, and that an answer is a permutation."""
        return Moves(program(__package__, FlowShop.name, "moves"), kind="permutation")

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Gantt chart."""
        return gantt(self._shop(instance), self._schedule(instance, answer))

    def explain(self, instance: Instance, answer: Json) -> str:
        """Idle machines, the last jobs, and the critical chain."""
        return explain_schedule(
            as_job_shop(instance.public), self._schedule(instance, answer), blocking=False
        )

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instances in Taillard's layout."""
        return taillard.read(path, self.most_operations)

    def _shop(self, instance: Instance) -> Instance:
        return Instance(
            instance.id, instance.split, instance.stratum, as_job_shop(instance.public), 1, instance.source
        )

    def _schedule(self, instance: Instance, answer: Json) -> Json:
        """Start times of an order.

        Raises:
            ValueError: the answer is no order of the jobs.
        """
        objective_of(instance.id, judge(instance.public, answer))
        return starts(instance.public["times"], answer)  # type: ignore[arg-type, return-value]


class FlowShopRule(RuleForm, FlowShop):
    """The same instances; a candidate rates the jobs left, and a fixed loop appends the one rated lowest."""

    name = "flow-shop-rule"
    entry_point = "priority"
    signature = f"def priority({texts.ARGUMENTS}) -> np.ndarray:"
    statement = texts.APPEND + PURE
    calls = (
        "The loop calls it once for each place of the order but the last; every number must follow from the "
        "arguments of its own call."
    )
    start_ids = ("least-idle-time",)
    expressions = texts.APPEND_PRIMITIVES

    def baselines(self) -> Mapping[str, str]:
        """Rules that are one column each."""
        return {name: rule_text(self.signature, *rule) for name, rule in texts.APPEND_RULES.items()}
