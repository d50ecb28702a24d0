"""Task graphs on heterogeneous processors, as whole schedules and as a scoring rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base import Drawing, Instance, Json, Moves, Sense
from ..rule_form import PURE, RuleForm
from ..stratified import StratifiedProblem
from . import reading, rules, texts
from .explaining import explain_schedule
from .gantt import gantt
from .laws import LARGE_TRANSFERS, STRATA
from .verification import judge

_LARGE_COUNT = 30
_LARGE = f"{_LARGE_COUNT} instances of the stratum {LARGE_TRANSFERS.stratum}, for a judgement of it"


class TaskGraph(StratifiedProblem):
    """R | prec, transfers | Cmax: minimise the makespan (time units) of a task graph."""

    name = stream = "task-graph"
    law = "random task graph"
    cells = STRATA
    other_sets: Mapping[str, str] = {"large-transfers": _LARGE}
    version = "1"
    sense = Sense.MINIMISE
    unit = "time units"
    entry_point = "schedule"
    signature = rules.WHOLE
    statement = texts.SCHEDULE
    instance_format = reading.FORMAT
    cpu_seconds = 0.6
    package = __package__
    start_ids = ("heft", "peft", "min-min")
    expressions = texts.SCHEDULE_PRIMITIVES
    judge = staticmethod(judge)

    def __init__(self, rounds: Mapping[str, int], processors: int) -> None:
        """Takes instances per stratum of each split, and the processors of files that name none."""
        super().__init__(rounds)
        self._processors = processors

    def other(self, set: str, seed: int) -> list[Instance]:
        """Instances of one stratum."""
        return self.draw_other(set, seed, [LARGE_TRANSFERS], _LARGE_COUNT)

    def baselines(self) -> Mapping[str, str]:
        """The literature's list schedulers with their loop."""
        return rules.schedule_programs(texts.RULE_ARGUMENTS)

    def moves(self) -> Moves | None:
        """Moves in the order of the tasks and between processors; None for rules."""
        return Moves(rules.moves())

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """Gantt chart with transfers."""
        return gantt(instance, answer)

    def explain(self, instance: Instance, answer: Json) -> str:
        """Idle processors, transfers, and the chain that leads to the last end."""
        return explain_schedule(instance.public, answer)

    def read_instances(self, path: Path) -> Sequence[Instance]:
        """A user's task graphs: JSON, DOT or STG by the file's ending."""
        return reading.read(path, self._processors)


class TaskGraphRule(RuleForm, TaskGraph):
    """The same instances; a candidate rates pairs of ready tasks and processors in a fixed loop."""

    name = "task-graph-rule"
    cpu_seconds = 1.0
    entry_point = "score"
    signature = f"def score({texts.RULE_ARGUMENTS}) -> np.ndarray:"
    statement = texts.RULE + PURE
    calls = texts.RULE_CALLS
    expressions = texts.RULE_PRIMITIVES

    @property
    def driver(self) -> str:
        """The loop around the rule."""
        return rules.driver()

    def baselines(self) -> Mapping[str, str]:
        """The literature's list schedulers as scores."""
        return rules.rule_programs(texts.RULE_ARGUMENTS)
