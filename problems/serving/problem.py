"""Requests to a language model under memory, as whole schedules and as an online rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..base import Dialogue, Drawing, Instance, Json, Moves, Sense, Verdict
from ..strata import Cell
from ..stratified import StratifiedProblem
from . import reading, rules, texts
from .dialogue import Rounds
from .explaining import explain_schedule
from .laws import STRATA, hide, parts
from .memory_chart import memory_chart
from .verification import judge


class KvScheduling(StratifiedProblem):
    """Minimise the sum of latencies (rounds) of requests that are all known."""

    name = stream = "kv-scheduling"
    law = "random requests"
    cells: Sequence[Cell] = STRATA
    version = "1"
    sense = Sense.MINIMISE
    unit = "rounds"
    entry_point = "schedule"
    signature = (
        "def schedule(workers: int, memory: int, arrivals: list[int], prompts: list[int], "
        "outputs: list[int]) -> list[list[int]]:"
    )
    statement = texts.SCHEDULE
    instance_format = reading.FORMAT
    package = __package__
    start_ids = ("shortest-output", "fcfs", "smallest-area")
    expressions = texts.SCHEDULE_PRIMITIVES

    def baselines(self) -> Mapping[str, str]:
        """The literature's rules, applied round by round."""
        return rules.schedule_programs(texts.RULE_ARGUMENTS)

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The sum of latencies in exact integers; anything else is no valid answer."""
        return judge(whole(instance), answer)

    def moves(self) -> Moves | None:
        """Moves that start requests anew; None for rules."""
        return Moves(rules.moves())

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Memory over time."""
        return memory_chart(instance.id, whole(instance), answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Queueing beside latency, the memory in use, and the requests that wait longest."""
        return explain_schedule(whole(instance), answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's requests."""
        return [self._instance(entry) for entry in reading.read(path)]

    def _instance(self, entry: reading.ServingEntry) -> Instance:
        return Instance(
            entry.name, entry.set, entry.stratum, entry.draw.public, entry.draw.scale, entry.source
        )


class KvSchedulingRule(KvScheduling):
    """The same laws; requests arrive over time, and a candidate is a priority rule.

    Without a secret the requests are those of the whole form.
    """

    name = "kv-scheduling-rule"
    entry_point = "priority"
    signature = f"def priority({texts.RULE_ARGUMENTS}) -> np.ndarray:"
    statement = texts.RULE
    calls = texts.RULE_CALLS
    expressions = texts.RULE_PRIMITIVES

    def moves(self) -> Moves | None:
        """None: a rule returns no whole schedule."""
        return None

    def __init__(self, rounds: Mapping[str, int], secret: str = "") -> None:
        """Takes instances per stratum of each split, and what keys the requests (empty: the public draw)."""
        super().__init__(rounds)
        self.cells = [hide(cell) for cell in STRATA]
        if secret:
            self.stream, self.law = f"{self.stream}{secret}", f"{self.law}, drawn with a secret"

    @property
    def driver(self) -> str:
        """The rounds around the rule."""
        return rules.driver()

    def keyed(self, secret: str) -> KvSchedulingRule:
        """The same problem with other requests: whoever knew them could schedule the future."""
        return KvSchedulingRule(self._rounds, secret)

    def dialogue(self, instance: Instance) -> Dialogue:
        """A stepper that reveals the requests of each round."""
        return Rounds(whole(instance))

    def baselines(self) -> Mapping[str, str]:
        """The literature's rules."""
        return rules.rule_programs(texts.RULE_ARGUMENTS)

    def _instance(self, entry: reading.ServingEntry) -> Instance:
        public, hidden = parts(entry.draw.public)
        return Instance(entry.name, entry.set, entry.stratum, public, entry.draw.scale, entry.source, hidden)


def whole(instance: Instance) -> Mapping[str, Any]:
    """Public and hidden part of an instance of either form."""
    return {**instance.public, **(instance.hidden or {})}
