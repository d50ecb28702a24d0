"""Gives a replay from the record what no second run repeats: steps, replies, time-outs."""

from __future__ import annotations

import platform
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...evolve.base import Candidate, Context, Elite, Origin, Proposal, Proposer, Rejection, RejectionReason
from ...evolve.campaign import Pace
from ...evolve.course import Recorded
from ...evolve.explanations import KIND as EXPLAINED
from ...evolve.explanations import Explanations
from ...evolve.ledger import Ledger
from ...evolve.models.assembly import RECORDED
from ...evolve.models.caller import Caller
from ...evolve.models.cassette import Cassette, RecordedModel
from ...evolve.prompted import PromptedProposer
from ...evolve.store.reader import Reader
from ...evolve.store.recorded import ended_by_a_clock, execution_seconds
from ...evolve.submissions import Submissions
from ...sandbox.base import Description, Dialogue, Execution, ExecutionStatus, Led, Limits, Program, Sandbox
from ..opening.setup import Setup
from ..proposers import Source, SourceOf, has_workbench, offline_proposer, offline_share, prompt_builder
from ..record.recorded import as_asked, recorded_course, recorded_replies

if TYPE_CHECKING:
    from ...evaluators.evaluator import GapEvaluator
    from ...evolve.admission import Admission
    from ...evolve.archive import Archive
    from ..config import Config

_MORE_TIME = 5.0
"""What ended in time then may take this many times as long now: the machine may be busier or slower."""

TimeOuts = Mapping[tuple[str, int], Execution]
"""(digest of a program, seed of an execution) → its recorded time-out."""
Times = Mapping[tuple[str, int], float]
"""(digest of a program, seed of an execution) → its recorded CPU seconds."""


@dataclass(frozen=True, slots=True)
class RecalledSetup(Setup):
    """A setup whose slots take time-outs and decisive times from the record, and run everything else."""

    time_outs: TimeOuts
    times: Times

    def open_slot(self) -> Sandbox:
        """See `Setup`."""
        return RecalledSlot(Setup.open_slot(self), self.time_outs, self.times)


class RecalledSlot:
    """A sandbox slot in which an execution ends by its CPU limit exactly where the record says so."""

    def __init__(self, slot: Sandbox, time_outs: TimeOuts, times: Times) -> None:
        """Takes a slot, the recorded time-outs, and the recorded times that replace measured ones."""
        self._slot = slot
        self._times = times
        self._time_outs = time_outs

    def execute(
        self,
        program: Program,
        instance: bytes,
        limits: Limits,
        seed: int,
        dialogue: Dialogue | Led | None = None,
    ) -> Execution:
        """The recorded time-out if there is one; otherwise runs the program, see `Sandbox`."""
        key = program.digest, seed
        if (time_out := self._time_outs.get(key)) is not None:
            return time_out
        generous = replace(limits, cpu_seconds=_MORE_TIME * limits.cpu_seconds)
        execution = self._slot.execute(program, instance, generous, seed, dialogue)
        return replace(execution, cpu_seconds=self._times.get(key, execution.cpu_seconds))

    def describe(self, text: str, entry_point: str) -> Description:
        """See `Sandbox`."""
        return self._slot.describe(text, entry_point)

    def close(self) -> None:
        """See `Sandbox`."""
        self._slot.close()


def recorded_time_outs(reader: Reader, evaluator: GapEvaluator) -> dict[tuple[str, int], Execution]:
    """Recorded executions that a limit ended: the candidate's CPU limit, or the time limit of `verify`."""
    from ...evaluators.evaluator import execution_seed
    from ...evaluators.judging import LATE

    found: dict[tuple[str, int], Execution] = {}
    late = f"{evaluator.problem.name}: {LATE}"
    for row in ended_by_a_clock(reader, late):
        candidate = reader.candidate(row["program"])
        if candidate is not None:
            key = evaluator.program(candidate.files).digest, execution_seed(evaluator.seed, row["name"])
            message = row["message"] or "CPU limit"
            status = ExecutionStatus(row["status"])
            found[key] = Execution(status, error=message, cpu_seconds=row["cpu_seconds"])
    return found


def recorded_times(reader: Reader, evaluator: GapEvaluator) -> dict[tuple[str, int], float]:
    """CPU seconds of all recorded executions of candidates."""
    from ...evaluators.evaluator import execution_seed

    digests: dict[str, str] = {}
    times: dict[tuple[str, int], float] = {}
    for row in execution_seconds(reader):
        id = row["program"]
        if id not in digests and (candidate := reader.candidate(id)) is not None:
            digests[id] = evaluator.program(candidate.files).digest
        if id in digests:
            times[digests[id], execution_seed(evaluator.seed, row["name"])] = row["cpu_seconds"]
    return times


def recorded_source(reader: Reader, config: Config) -> SourceOf:
    """The source of a replay: recorded replies and, where outcomes were told as they arrived, recorded steps.

    With models the tuner's points come from the record: earlier versions chose other numbers.

    Args:
        reader: of the recorded run.
        config: the recorded configuration.
    """

    def source(admission: Admission, archive: Archive) -> Source:
        asked = as_asked(table.spec for table in config.model)
        recorded = Recorded(reader)  # reads every iteration, so that damage is reported before anything runs
        submissions, bench = Submissions.of(recorded), has_workbench(reader)
        course = None if asked and not submissions else recorded_course(reader)
        pace = Pace(config.campaign.in_flight, waits=config.uses_models, course=course)
        points = recorded.points(archive) if config.uses_models else None
        proposer, share = _proposer(reader, recorded, config, admission), offline_share(config, bench)
        beside = _offline(reader, recorded) if share else None
        return Source(proposer, pace, points, beside, share, submissions, bench)

    return source


def _proposer(reader: Reader, record: Recorded, config: Config, admission: Admission) -> Proposer:
    """Models that answer from the record, or the offline proposer."""
    if config.uses_models:
        table = next(table for table in config.model if table.spec != "offline")
        model = RecordedModel(table.spec, recorded_replies(reader))
        caller = Caller(model, table, Ledger(), Cassette(), config.campaign.in_flight, RECORDED)
        explain = Explanations(event.data for event in reader.events(EXPLAINED))
        return PromptedProposer([caller], prompt_builder(config), config.prompts, admission.examine, explain)
    return _offline(reader, record)


def _offline(reader: Reader, record: Recorded) -> Proposer:
    """The offline proposer where it makes the same texts as in the record, else the recorded texts."""
    recorded = (reader.record("versions") or {}).get("python") or platform.python_version()
    if recorded.split(".")[:2] == platform.python_version().split(".")[:2]:
        return offline_proposer(reader)
    return _Texts(record)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Gives recorded texts: another Python prints syntax trees differently, so mutations differ too."""

    recorded: Recorded

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """The recorded text or rejection of this ask."""
        outcome = self.recorded.made(context.iteration)
        if isinstance(outcome, Candidate):
            return Proposal(outcome.files, outcome.origin, outcome.operator)
        return outcome or Rejection(RejectionReason.NO_CODE, "never told", Origin.MUTATE, "mutate")
