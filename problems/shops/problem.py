"""Job shops with and without buffers, as whole schedules and as a dispatching rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base import Drawing, Instance, Json, Moves, Phase, Sense, Verdict
from ..rule_form import PURE, RuleForm
from ..sequencing import SEQUENCING
from ..strata import Cell
from ..stratified import StratifiedProblem
from . import rules, taillard, texts
from .explaining import explain_schedule
from .gantt import gantt
from .laws import BLOCKING, BUFFERED
from .reading import FORMAT, read
from .verification import judge

_RULE_NAME = "priority"


class JobShop(StratifiedProblem):
    """J || Cmax: minimise the makespan (time units) of start times."""

    name = stream = "job-shop"
    law = "random job shop"
    cells: Sequence[Cell] = BUFFERED
    other_sets: Mapping[str, str] = taillard.sets()
    version = "1"
    sense = Sense.MINIMISE
    unit = "time units"
    strata = (
        "jobs x machines, then what the times and routes look like: uniform times, times that depend "
        "on the machine, two kinds of times (bimodal), or routes in two stages."
    )
    entry_point = "schedule"
    signature = (
        "def schedule(machines: int, routes: list[list[int]], times: list[list[int]]) -> list[list[int]]:"
    )
    statement = texts.SCHEDULE
    instance_format = FORMAT
    blocking = False
    cpu_seconds = 0.8
    start_ids = ("non-delay-spt-wkr", "non-delay-mopnr", "non-delay-tail")
    package = __package__
    expressions = texts.SCHEDULE_PRIMITIVES

    def __init__(self, rounds: Mapping[str, int], most_operations: int) -> None:
        """Takes the sizes of the splits, and the operations that an instance of a file may have."""
        super().__init__(rounds)
        self.most_operations = most_operations

    def other(self, set: str, seed: int) -> list[Instance]:
        """Taillard's instances."""
        return taillard.instances(set)

    def baselines(self) -> Mapping[str, str]:
        """The textbook's dispatching rules, named after the loop and the rule."""
        return rules.schedule_programs(texts.RULE_ARGUMENTS)

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The makespan of start times in exact integers; anything else is no valid answer."""
        return judge(instance.public, answer, blocking=self.blocking)

    def moves(self) -> Moves | None:
        """The makespan, and moves of operations, without buffers of whole jobs; None for rules."""
        return Moves(rules.blocking_moves() if self.blocking else rules.moves())

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Gantt chart."""
        return gantt(instance, answer, blocking=self.blocking)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Idle machines, the last jobs, and the critical chain; without buffers, what is blocked."""
        return explain_schedule(instance.public, answer, blocking=self.blocking)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's instances in the standard or in Taillard's layout."""
        return read(path, self.most_operations, 1 if self.blocking else 0)


class JobShopRule(RuleForm, JobShop):
    """The same instances; a candidate is a priority rule in a fixed dispatch loop."""

    name = "job-shop-rule"
    cpu_seconds = 1.0
    entry_point = _RULE_NAME
    signature = f"def priority({texts.RULE_ARGUMENTS}) -> np.ndarray:"
    calls = texts.RULE_CALLS
    expressions = texts.RULE_PRIMITIVES

    def __init__(
        self, rounds: Mapping[str, int], most_operations: int, dispatching: rules.Dispatching
    ) -> None:
        """Takes what a job shop takes, and which schedules the loop builds."""
        super().__init__(rounds, most_operations)
        self._dispatching = dispatching
        self.statement = texts.rule(dispatching) + PURE

    @property
    def driver(self) -> str:
        """The dispatch loop."""
        return rules.driver(self._dispatching)

    def baselines(self) -> Mapping[str, str]:
        """The textbook's dispatching rules, named after the schedules that they make, and the rule."""
        return rules.rule_programs(self._dispatching, texts.RULE_ARGUMENTS)

    def phases(self) -> Sequence[Phase]:
        """Descents over an order whose costs add up."""
        return SEQUENCING


class BlockingJobShop(JobShop):
    """J | blocking, swap | Cmax: no buffers, a job holds its machine until it moves on."""

    name = stream = "blocking-job-shop"
    law = "random blocking job shop"
    cells = BLOCKING
    other_sets: Mapping[str, str] = {}
    statement = texts.BLOCKING_SCHEDULE
    blocking = True
    start_ids = ("mwkr", "mopnr", "spt")

    def baselines(self) -> Mapping[str, str]:
        """The textbook's rules."""
        return rules.blocking_schedule_programs(texts.BLOCKING_ARGUMENTS)


class BlockingJobShopRule(RuleForm, BlockingJobShop):
    """The same instances; a candidate is a priority rule in a fixed loop over events."""

    name = "blocking-job-shop-rule"
    cpu_seconds = 1.0
    entry_point = _RULE_NAME
    signature = f"def priority({texts.BLOCKING_ARGUMENTS}) -> np.ndarray:"
    statement = texts.blocking_rule() + PURE
    calls = texts.RULE_CALLS
    expressions = texts.BLOCKING_PRIMITIVES

    @property
    def driver(self) -> str:
        """The dispatch loop."""
        return rules.blocking_driver()

    def baselines(self) -> Mapping[str, str]:
        """The textbook's rules."""
        return rules.blocking_rule_programs(texts.BLOCKING_ARGUMENTS)

    def phases(self) -> Sequence[Phase]:
        """Descents over an order whose costs add up."""
        return SEQUENCING
