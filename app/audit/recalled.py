"""Parts of a campaign that take from a record what no second run repeats: replies, choices, time-outs."""

from __future__ import annotations

import platform
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.admission import ID_CHARACTERS
from ...evolve.base import (
    Completion,
    Context,
    Elite,
    Origin,
    Prompt,
    Proposal,
    Proposer,
    Rejection,
    RejectionReason,
)
from ...evolve.models.base import Request
from ...evolve.models.cassette import Cassette, RecordedModel, without_seconds
from ...evolve.models.ensemble import Arm, Choice
from ...evolve.prompted import PromptedProposer
from ...evolve.store.reader import BASELINE, Iteration, Reader
from ...evolve.store.schema import StoreError
from ...evolve.tune import OPERATOR, Tuner
from ...sandbox.base import Description, Dialogue, Execution, ExecutionStatus, Led, Limits, Program, Sandbox
from ..opening.setup import Setup
from ..proposers import OF_ORDER, exchanges

if TYPE_CHECKING:
    from ...evaluators.evaluator import GapEvaluator
    from ...evolve.admission import Admission
    from ...evolve.archive import Archive
    from ..config import Config

_MORE_TIME = 5.0
"""What ended in time then may take this many times as long now: the machine may be busier or slower."""

TimeOuts = Mapping[tuple[str, int], Execution]
"""(digest of a program, seed of an execution) → its recorded time-out."""


@dataclass(frozen=True, slots=True)
class RecalledSetup(Setup):
    """A setup whose slots take time-outs from the record and run everything else."""

    time_outs: TimeOuts

    def open_slot(self) -> Sandbox:
        """See `Setup`."""
        return RecalledSlot(Setup.open_slot(self), self.time_outs)


class RecalledSlot:
    """A sandbox slot in which an execution ends by its CPU limit exactly where the record says so."""

    def __init__(self, slot: Sandbox, time_outs: TimeOuts) -> None:
        """Takes a slot and the recorded time-outs."""
        self._slot = slot
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
        found = self._time_outs.get((program.digest, seed))
        if found is not None:
            return found
        generous = replace(limits, cpu_seconds=_MORE_TIME * limits.cpu_seconds)
        return self._slot.execute(program, instance, generous, seed, dialogue)

    def describe(self, text: str, entry_point: str) -> Description:
        """See `Sandbox`."""
        return self._slot.describe(text, entry_point)

    def close(self) -> None:
        """See `Sandbox`."""
        self._slot.close()


def recorded_time_outs(reader: Reader, evaluator: GapEvaluator) -> dict[tuple[str, int], Execution]:
    """All executions of candidates that the record says ended by a clock: theirs, or that of `verify`."""
    from ...evaluators.evaluator import execution_seed
    from ...evaluators.judging import LATE

    found: dict[tuple[str, int], Execution] = {}
    late = f"{evaluator.problem.name}: {LATE}"
    query = (
        "SELECT e.program, i.name, x.status, x.cpu_seconds, x.message FROM executions x JOIN evaluations e "
        "ON e.id = x.evaluation JOIN instances i ON i.id = x.instance "
        f"WHERE (x.status = 'timeout' OR substr(x.message, 1, {len(late)}) = ?) "
        f"AND e.program NOT LIKE '{BASELINE}%'"
    )
    for row in reader.rows(query, (late,)):
        candidate = reader.candidate(row["program"])
        if candidate is not None:
            key = evaluator.program(candidate.files).digest, execution_seed(evaluator.seed, row["name"])
            message = row["message"] or "CPU limit"
            status = ExecutionStatus(row["status"])
            found[key] = Execution(status, error=message, cpu_seconds=row["cpu_seconds"])
    return found


def recalled_proposer(reader: Reader, config: Config, own: Proposer, admission: Admission) -> Proposer:
    """The proposer of a replay.

    Args:
        reader: of the recorded run.
        config: the recorded configuration.
        own: the offline proposer, used where it makes the same texts as then.
        admission: names texts.
    """
    record = {i.number: i for i in reader.iterations()}
    if config.uses_models:
        query = "SELECT id, json_extract(description, '$.shape_digest') AS shape FROM candidates"
        known = frozenset(name for row in reader.rows(query) for name in row if name)
        return _Asked(_recalled_models(reader, config, admission), record, known, admission)
    recorded = (reader.record("versions") or {}).get("python") or platform.python_version()
    same = recorded.split(".")[:2] == platform.python_version().split(".")[:2]
    return own if same else _Texts(reader, record)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Recorded texts: syntax trees print differently in another Python version, so mutations differ too."""

    reader: Reader
    record: Mapping[int, Iteration]

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """What was recorded for this ask."""
        found = self.record[context.iteration]
        candidate = None if found.candidate is None else self.reader.candidate(found.candidate)
        if candidate is not None:
            return Proposal(candidate.files, candidate.origin, candidate.operator)
        return _rejection(found)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Recorded replies, read again. Which of two equal texts came first is the record's, like all order."""

    models: PromptedProposer
    record: Mapping[int, Iteration]
    known: frozenset[str]
    admission: Admission

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """What becomes of the recorded replies of this ask."""
        found = self.record[context.iteration]
        if found.told is None:
            return _rejection(found)
        made = self.models.propose(parents, context, rng)
        refused = found.rejection is not None and found.rejection.reason in OF_ORDER
        if refused and isinstance(made, Proposal) and self._is_known(made):
            return _rejection(found)
        return made

    def _is_known(self, made: Proposal) -> bool:
        text = next(iter(made.files.values()))
        description = self.admission.sandbox.describe(text, self.admission.entry_point)
        return bool(
            {(self.admission.digest(description) or "")[:ID_CHARACTERS], description.shape_digest}
            & self.known
        )

    def close(self) -> None:
        """Ends the models."""
        self.models.close()


def _rejection(found: Iteration) -> Rejection:
    """The recorded rejection; of an iteration that was never told a stand-in, which is never told either."""
    return found.rejection or Rejection(RejectionReason.NO_CODE, "never told", Origin.IMPROVE, "improve")


class RecalledTuner(Tuner):
    """Recorded points: what was tuned before a stop is not tuned again, and no record tells of stops."""

    def __init__(self, reader: Reader) -> None:
        """Takes the record."""
        super().__init__(seed=0, share=0.0, evaluations=1)
        self._reader = reader
        self._record = {i.number: i for i in reader.iterations()}

    def ask(self, number: int, archive: Archive) -> tuple[Elite, Any] | None:
        """The recorded point, or why it was no candidate; None if the ask did not belong to tuning."""
        found = self._record[number]
        made = found.rejection or self._reader.candidate(found.candidate or "")
        if made is None or made.operator != OPERATOR:
            return None
        parent, evaluation = (
            self._reader.candidate(found.parents[0]),
            self._reader.evaluation(found.parents[0], "train"),
        )
        if parent is None or evaluation is None:
            raise StoreError(
                f"candidate {found.parents[0]}: not in the store, expected the parent of a point"
            )
        elite = archive.elite(parent, evaluation, found.island)
        if isinstance(made, Rejection):
            return elite, made
        return elite, Proposal(made.files, made.origin, made.operator)


class PromptDiffers(Exception):
    """A prompt that was rendered again says something else than the recorded one.

    Attributes:
        where: which prompt, and the line.
        recorded, now: the first line that differs; None past the end, or if nothing is recorded.
    """

    def __init__(self, where: str, recorded: str | None, now: str | None) -> None:
        super().__init__(where)
        self.where = where
        self.recorded = recorded
        self.now = now


class _Model(RecordedModel):
    """Recorded replies; says where a prompt differs from the one that was answered."""

    def __init__(self, name: str, replies: Cassette) -> None:
        super().__init__(name, replies)
        self._prompts = {(e.iteration, e.round): e.prompt for e in replies.exchanges}
        self._known = replies

    def complete(self, request: Request) -> Completion:
        """See `Model`.

        Raises:
            PromptDiffers: no reply to this prompt is recorded.
        """
        key = request.iteration, request.round
        if self._known.recorded(*key, request.prompt) is None:
            where = f"iteration {key[0]}: prompt" + (" of the repair" if key[1] > 1 else "")
            raise _difference(where, self._prompts.get(key), request.prompt)
        return super().complete(request)


def _difference(where: str, recorded: Prompt | None, now: Prompt) -> PromptDiffers:
    """The first line in which two prompts differ, seconds aside."""
    if recorded is None:
        return PromptDiffers(where, None, now.user.splitlines()[0] if now.user else "")
    then, again = [without_seconds(f"{p.system}\n{p.user}").splitlines() for p in (recorded, now)]
    for number, (old, new) in enumerate(zip_longest(then, again), start=1):
        if old != new:
            return PromptDiffers(f"{where}, line {number}", old, new)
    raise AssertionError("the prompts are the same")


class _Models(PromptedProposer):
    """Asks the arms that were asked: weights and rewards of then count, not those of now."""

    asked: Mapping[int, str]

    def choose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Arm:
        """The arm by the name that was counted then; one of its own where none was asked."""
        name = self.asked.get(context.iteration)
        for arm in self._arms:
            if arm.name == name:
                return arm
        return super().choose(parents, context, rng)


def _recalled_models(reader: Reader, config: Config, admission: Admission) -> _Models:
    from ...evolve.ledger import Ledger
    from ...evolve.models.assembly import RECORDED
    from ...evolve.models.caller import Caller
    from ...prompts.builder import Builder

    replies = Cassette(exchanges(reader))
    callers = [
        Caller(_Model(table.spec, replies), table, Ledger(), Cassette(), 1, RECORDED)
        for table in config.model
        if table.spec != "offline"
    ]
    folder = Path(config.prompts.folder) if config.prompts.folder else None
    builder = Builder(config.prompts.tokens, folder)
    models = _Models(callers, builder, Choice(config.prompts.choice), admission.fault)
    named = "SELECT iteration, operator FROM iterations WHERE operator IS NOT NULL"
    models.asked = {row["iteration"]: row["operator"] for row in reader.rows(named)}
    return models
