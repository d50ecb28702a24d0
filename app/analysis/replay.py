"""Runs a campaign again from its store, without a model, and compares; apart, as it runs programs.

Model replies, the order of asking and telling, time-outs and rewards come from the record. The search
chooses parents again, renders prompts, reads replies, executes programs and fills the archive.
"""

from __future__ import annotations

import platform
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.budget import StopReason
from ...evolve.course import Pace, RecordedCourse, Submissions
from ...evolve.llm.caller import Caller
from ...evolve.llm.cassette import Cassette, CassetteModel, MissingReply
from ...evolve.llm.episodes import EpisodeTerms
from ...evolve.llm.ledger import Ledger
from ...evolve.llm.prompt_scores import KIND as EXPLAINED
from ...evolve.llm.prompt_scores import Explanations
from ...evolve.llm.proposer import PromptedProposer
from ...evolve.llm.registry import RECORDED
from ...evolve.store.course import (
    completed_rows,
    ended_by_a_clock,
    execution_seconds,
    judged,
    last_completed,
    unused,
)
from ...evolve.store.reader import BASELINE, Reader
from ...evolve.store.statistics import made_by, work
from ...evolve.store.store import Store
from ...evolve.tuning import OPERATOR
from ...evolve.types import Candidate, Context, Elite, Origin, Proposal, Proposer, Rejection, RejectionReason
from ...problems.base import SPLITS
from ...sandbox.base import (
    Description,
    Execution,
    ExecutionStatus,
    Led,
    Limits,
    Program,
    Sandbox,
    SandboxDialogue,
)
from ..errors import TROUBLE, USAGE, UserError
from ..proposers import (
    CampaignSource,
    SourceOf,
    has_workbench,
    offline_proposer,
    offline_share,
    prompt_builder,
)
from ..runs.course import as_asked, recorded_course, recorded_replies
from ..runs.folders import running
from ..runs.resume import start_programs_of
from ..runs.trust import NO_TRUST, Trust, Use
from ..setup.prepare import record_setup
from ..setup.reruns import setup_of_record
from ..setup.setup import Setup
from ..versions import refuse_earlier_search
from .verify import Findings, compare_claims, outcome_of, surroundings

if TYPE_CHECKING:
    from ...evaluators.evaluator import GapEvaluator
    from ...evolve.admission import Admission
    from ...evolve.archive import Archive
    from ..config import Config
    from ..plugins.loader import LoadedProblem
    from ..runs.record import RunRecord


# Gives a replay from the record what no second run repeats: steps, replies, time-outs.

_MORE_TIME = 5.0
"""What ended in time then may take this many times as long now: the machine may be busier or slower."""

TimeOuts = Mapping[tuple[str, int], Execution]
"""(digest of a program, seed of an execution) → its recorded time-out."""
Times = Mapping[tuple[str, int], float]
"""(digest of a program, seed of an execution) → its recorded CPU seconds."""


@dataclass(frozen=True, slots=True)
class ReplaySetup(Setup):
    """A setup whose slots take time-outs and decisive times from the record, and run everything else."""

    time_outs: TimeOuts
    times: Times

    def open_slot(self) -> Sandbox:
        """See `Setup`."""
        return ReplaySlot(Setup.open_slot(self), self.time_outs, self.times)


class ReplaySlot:
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
        dialogue: SandboxDialogue | Led | None = None,
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

    def source(admission: Admission, archive: Archive) -> CampaignSource:
        asked = as_asked(table.spec for table in config.model)
        recorded = RecordedCourse(
            reader
        )  # reads every iteration, so that damage is reported before anything runs
        submissions = Submissions.of(recorded)
        bench = has_workbench(reader)
        course = None if asked and not submissions else recorded_course(reader)
        pace = Pace(config.campaign.in_flight, waits=config.uses_models, course=course)
        points = recorded.points(archive) if config.uses_models else None
        proposer = _proposer(reader, recorded, config, admission)
        share = offline_share(config, bench)
        beside = _offline(reader, recorded) if share else None
        return CampaignSource(proposer, pace, points, beside, share, submissions, bench)

    return source


def _proposer(reader: Reader, record: RecordedCourse, config: Config, admission: Admission) -> Proposer:
    """Models that answer from the record, or the offline proposer."""
    if config.uses_models:
        table = next(table for table in config.model if table.spec != "offline")
        model = CassetteModel(table.spec, recorded_replies(reader))
        caller = Caller(model, table, Ledger(), Cassette(), config.campaign.in_flight, RECORDED)
        explain = Explanations(event.data for event in reader.events(EXPLAINED))
        return PromptedProposer(
            [caller],
            prompt_builder(config),
            config.prompts,
            admission.examine,
            explain,
            terms=EpisodeTerms(config.episode),
        )
    return _offline(reader, record)


def _offline(reader: Reader, record: RecordedCourse) -> Proposer:
    """The offline proposer where it makes the same texts as in the record, else the recorded texts."""
    recorded = (reader.record("versions") or {}).get("python") or platform.python_version()
    if recorded.split(".")[:2] == platform.python_version().split(".")[:2]:
        return offline_proposer(reader)
    return _Texts(record)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Gives recorded texts: another Python prints syntax trees differently, so mutations differ too."""

    recorded: RecordedCourse

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """The recorded text or rejection of this ask."""
        outcome = self.recorded.made(context.iteration)
        if isinstance(outcome, Candidate):
            return Proposal(outcome.files, outcome.origin, outcome.operator)
        return outcome or Rejection(RejectionReason.NO_CODE, "never told", Origin.MUTATE, "mutate")


def replay(
    folder: Path,
    trust: Trust = NO_TRUST,
    *,
    workers: int | str | None = None,
) -> dict[str, Any]:
    """Replays a run; its folder is only read.

    Args:
        folder: of the recorded run.
        trust: the caller's word.
        workers: as `run.workers`, by default as the run was configured.

    Returns:
        The JSON contract's document, with counts beside; the first difference comes first.

    Raises:
        UserError: the run is at work, has no outcome yet, or its problem is not on this machine.
    """
    from ..runs.record import open_record

    if running(folder):
        raise UserError(
            TROUBLE, f"{folder.name}: another process is at work in this run", "replay it when it has ended"
        )
    with open_record(folder) as record:
        refuse_earlier_search(record.reader, folder.name)
        setup = setup_of_record(record, trust, uses=[Use.TEMPLATES], workers=workers)
        # An ask may stay without outcome while later ones get theirs: spent budget, failed model, kill.
        told = last_completed(record.reader)
        if not told:
            raise UserError(USAGE, f"{folder.name}: no iteration was told, nothing to replay")
        with tempfile.TemporaryDirectory(prefix="gapsmith-replay-") as place:
            again = Path(place) / record.name
            again.mkdir()
            findings = Findings()
            trouble = _run_again(record, setup, told, again)
            with open_record(again) as now:
                _compare(record, now, findings, trouble)
                return _document(record, now, setup.loaded, findings)


def _run_again(record: RunRecord, opened: Setup, told: int, again: Path) -> dict[str, Any] | None:
    """Runs the campaign again into a folder; returns the difference that stopped it, None if none did."""
    from .. import compose
    from ..config import BudgetSection

    config = opened.config
    evaluator = opened.evaluator
    evaluator.timed = False
    points = made_by(record.reader, OPERATOR, told) if config.uses_models else 0
    budget = BudgetSection(
        iterations=told - points - unused(record.reader, told)
    )  # without the seconds, which differ from run to run
    offline = config.model_copy(update={"model": (), "budget": budget})
    setup = ReplaySetup(
        opened.loaded,
        offline,
        opened.policy,
        evaluator,
        opened.cache,
        record.name,
        opened.prefixes,
        recorded_time_outs(record.reader, evaluator),
        recorded_times(record.reader, evaluator) if config.timed else {},
    )
    starts = start_programs_of(record.reader)

    store = Store(again)
    try:
        record_setup(store, setup, again, None)
        store.set("docstrings", record.reader.record("docstrings"))
        store.set("timing", record.reader.record("timing") or {"floor_seconds": 0.0, "pace_seconds": 0.0})
        store.set("gates", record.reader.record("gates") or [])
        store.set("founder_seconds", record.reader.record("founder_seconds") or {})
        _copy_baselines(record, store, evaluator.version)
        source = recorded_source(record.reader, config)
        with compose.prepared(setup, store, again, starts, compose.Watcher(), source) as campaign:
            campaign.validation.left_out.update(record.reader.record("left_out") or ())
            campaign.run()
            if isinstance(campaign.trouble, MissingReply):
                error = campaign.trouble
                return {"what": error.where, "recorded": error.recorded, "now": error.now}
            if campaign.trouble is not None:
                raise campaign.trouble
            if record.reader.grown(campaign.search.tally.told):
                campaign.grow()  # after the last outcome
            if record.reader.record("champion") is not None:
                compose.crown(campaign, setup, store, StopReason.ITERATIONS)
        return None
    finally:
        store.close()


def _starts(record: RunRecord) -> list[str]:
    starts: list[str] = record.reader.record("starts")
    return starts


def _copy_baselines(record: RunRecord, store: Store, version: str) -> None:
    """Copies the recorded baselines: founders, and what prompts show of baselines, are not run again."""
    for name in record.reader.baselines():
        for split in SPLITS:
            evaluation = record.evaluation(BASELINE + name, split)
            if evaluation is not None:
                store.put_evaluation(BASELINE + name, evaluation, version)


def _compare(record: RunRecord, now: RunRecord, findings: Findings, trouble: dict[str, Any] | None) -> None:
    """Founders, iterations up to the first that differs, then their outcomes."""
    for id in _starts(record):
        _compare_evaluation(record, now, id, "train", "founder", findings, record.prefixes[0])
    for number, (then, again) in enumerate(_pairs(record.reader, now.reader), start=1):
        if findings.differences:
            return
        where = f"iteration {then['iteration']}"
        if again is None:
            findings.differences += [trouble or {"what": f"{where}: told", "recorded": number, "now": None}]
            return
        for key, value in dict(then).items():
            if key != "prefix":  # older runs stored none; executions are compared below
                findings.compare("iterations", f"{where}: {key}", value, again[key])
        if then["candidate"] is not None and then["candidate"] == again["candidate"]:
            files = record.candidate(then["candidate"]).files, now.candidate(then["candidate"]).files
            findings.compare("candidates", f"{where}: source", *map(dict, files))
            _compare_evaluation(record, now, then["candidate"], "train", where, findings, then["prefix"])
    if not findings.differences:
        _compare_outcome(record, now, findings)


def _pairs(record: Reader, now: Reader) -> Iterator[tuple[Any, Any]]:
    """Iterations of both runs that have an outcome, in the order of their outcomes."""
    again = iter(completed_rows(now))
    for row in completed_rows(record):
        yield row, next(again, None)


def _compare_outcome(record: RunRecord, now: RunRecord, findings: Findings) -> None:
    """The archive cell by cell, validation, champion and test."""
    then = cells(record)
    again = cells(now)
    for place in sorted({*then, *again}):
        island, cell, number = place
        where = f"island {island}, cell {cell}" + (", second place" if number > 1 else "")
        findings.compare("elites", where, then.get(place), again.get(place))
    champion = record.reader.record("champion")
    if champion is None:
        return
    findings.compare("champion", "champion", champion, now.reader.record("champion"))
    for program, split in judged(now.reader):
        _compare_evaluation(record, now, program, split, f"candidate {program} on {split}", findings)
    compare_claims(record, now.reader.record("claims") or (), findings)


def cells(record: RunRecord) -> dict[tuple[int, tuple[int, ...], int], tuple[str, float]]:
    """(island, cell, place from 1) → (candidate, fitness) of a run's archive."""
    from ..runs.course import rebuild

    archive = rebuild(record)
    places = Counter[tuple[int, tuple[int, ...]]]()
    found: dict[tuple[int, tuple[int, ...], int], tuple[str, float]] = {}
    for elite in archive.elites() if archive else ():
        cell = elite.island, elite.cell
        places[cell] += 1
        found[*cell, places[cell]] = elite.candidate.id, elite.fitness
    return found


def _compare_evaluation(
    record: RunRecord,
    now: RunRecord,
    program: str,
    split: str,
    where: str,
    findings: Findings,
    prefix: int | None = None,
) -> None:
    then, again = (of.evaluation(program, split, prefix) for of in (record, now))
    if then is None or again is None:
        findings.compare(
            "fitness values", f"{where}: evaluated on {split}", then is not None, again is not None
        )
        return
    findings.compare("fitness values", f"{where}: fitness on {split}", then.fitness, again.fitness)
    scores = {score.instance: score for score in again.scores}
    findings.compare("evaluations", f"{where}: executions", len(then.scores), len(scores))
    for score in then.scores:
        other = scores.get(score.instance)
        outcome = None if other is None else outcome_of(other)
        findings.compare("executions", f"{where}: answer on {score.instance}", outcome_of(score), outcome)


def _document(record: RunRecord, now: RunRecord, loaded: LoadedProblem, findings: Findings) -> dict[str, Any]:
    surroundings(record, loaded, findings)
    checked = sum(findings.counts.values())
    done = work(now.reader)
    return {
        "run": record.name,
        "checked": checked,
        "agree": checked - len(findings.differences),
        "differences": findings.differences,
        "unsafe_without": record.unsafe,
        "iterations": done.iterations,
        "evaluations": done.evaluations,
        "elites": len(cells(record)),
        "champion": record.reader.record("champion"),
        "compared": findings.counts,
        "changed": findings.changed,
    }
