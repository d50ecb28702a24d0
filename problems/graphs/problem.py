"""Task graphs on heterogeneous processors, as whole schedules and as a scoring rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..base import Drawing, Instance, Json, Moves, Primitive, Sense, Verdict
from ..rule_form import PURE, RuleForm
from ..strata import draw_set, draw_splits, split_sentences
from . import reading, rules, texts
from .explaining import explain_schedule
from .gantt import gantt
from .laws import LARGE_TRANSFERS, STRATA
from .verification import judge

_FAMILY, _LAW = "task-graph", "random task graph"
_LARGE, _LARGE_COUNT = "large-transfers", 30


class TaskGraph:
    """R | prec, transfers | Cmax: minimise the makespan (time units) of a task graph."""

    name = _FAMILY
    version = "1"
    sense = Sense.MINIMISE
    unit = "time units"
    entry_point = "schedule"
    signature = rules.WHOLE
    statement = texts.SCHEDULE
    instance_format = reading.FORMAT
    cpu_seconds = 0.6

    def __init__(self, rounds: Mapping[str, int], processors: int) -> None:
        """Takes instances per stratum of each split, and the processors of files that name none."""
        self._rounds, self._processors = dict(rounds), processors

    def sets(self) -> Mapping[str, str]:
        """Name of each set → one sentence."""
        large = f"{_LARGE_COUNT} instances of the stratum {LARGE_TRANSFERS.stratum}, for a judgement of it"
        return {**split_sentences(STRATA, self._rounds), _LARGE: large}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """The instances of a set, the splits disjoint for one seed; whole schedules and rules share them."""
        if set == _LARGE:
            return draw_set(_FAMILY, set, seed, [LARGE_TRANSFERS], _LARGE_COUNT, _LAW)
        return draw_splits(_FAMILY, seed, STRATA, self._rounds, _LAW)[set]

    def start_programs(self) -> Mapping[str, str]:
        """List schedulers to start from."""
        programs = self.baselines()
        return {name: programs[name] for name in ("heft", "peft", "min-min")}

    def baselines(self) -> Mapping[str, str]:
        """The literature's list schedulers with their loop."""
        return rules.schedule_programs(texts.RULE_ARGUMENTS)

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The makespan of a schedule in exact integers; anything else is no valid answer."""
        return judge(instance.public, answer)

    def primitives(self) -> Sequence[Primitive]:
        """Expressions over the entry point's parameters."""
        return texts.SCHEDULE_PRIMITIVES

    def moves(self) -> Moves | None:
        """Moves in the order of the tasks and between processors; None for rules."""
        return Moves(rules.moves()) if self.name == _FAMILY else None

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

    @property
    def driver(self) -> str:
        """The loop around the rule."""
        return rules.driver()

    def baselines(self) -> Mapping[str, str]:
        """The literature's list schedulers as scores."""
        return rules.rule_programs(texts.RULE_ARGUMENTS)

    def primitives(self) -> Sequence[Primitive]:
        """Expressions over the rule's parameters and `np`."""
        return texts.RULE_PRIMITIVES
