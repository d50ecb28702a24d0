"""Runs a recorded campaign again from its store, without asking any model, and compares the two courses.

Model replies, the order of asking and telling, time-outs and rewards come from the record. The search
chooses parents again, renders prompts, reads replies, executes programs and fills the archive.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...evolve.budget import StopReason
from ...evolve.models.cassette import NotRecorded
from ...evolve.store.reader import BASELINE, Reader
from ...evolve.store.recorded import judged, last_told, told_rows
from ...evolve.store.store import Store
from ...evolve.store.work import made_by, work
from ...evolve.tune import OPERATOR
from ...problems.base import SPLITS
from ..errors import TROUBLE, USAGE, UserError
from ..opening.recording import record_setup
from ..opening.stored import setup_of_record
from ..record.authority import NO_TRUST, Trust, Use
from ..record.resume import start_programs_of
from ..record.runs import running
from .recalled import RecalledSetup, recorded_source, recorded_time_outs, recorded_times
from .verify import Findings, compare_claims, outcome_of, surroundings

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign
    from ..door.plugins import LoadedProblem
    from ..opening.notify import Notify
    from ..opening.setup import Setup
    from ..record.record import RunRecord


def replay(
    folder: Path,
    trust: Trust = NO_TRUST,
    *,
    workers: int | str | None = None,
    notify: Notify = lambda what, done, total: None,
) -> dict[str, Any]:
    """Replays a run; its folder is only read.

    Args:
        folder: of the recorded run.
        trust: the caller's word.
        workers: as `run.workers`, by default as the run was configured.
        notify: told how far it is.

    Returns:
        The JSON contract's document, with counts beside; the first difference comes first.

    Raises:
        UserError: the run is at work, has no outcome yet, or its problem is not on this machine.
    """
    from ..record.record import open_record

    if running(folder):
        raise UserError(
            TROUBLE, f"{folder.name}: another process is at work in this run", "replay it when it has ended"
        )
    with open_record(folder) as record:
        setup = setup_of_record(record, trust, uses=[Use.TEMPLATES], workers=workers)
        # An ask may stay without outcome while later ones get theirs: spent budget, failed model, kill.
        told = last_told(record.reader)
        if not told:
            raise UserError(USAGE, f"{folder.name}: no iteration was told, nothing to replay")
        with tempfile.TemporaryDirectory(prefix="gapsmith-replay-") as place:
            again = Path(place) / record.name
            again.mkdir()
            findings = Findings()
            trouble = _run_again(record, setup, told, again, notify)
            with open_record(again) as now:
                _compare(record, now, findings, trouble)
                return _document(record, now, setup.loaded, findings)


def _run_again(
    record: RunRecord, opened: Setup, told: int, again: Path, notify: Notify
) -> dict[str, Any] | None:
    """Runs the campaign again into a folder; returns the difference that stopped it, None if none did."""
    from .. import compose
    from ..config import BudgetSection

    config, evaluator = opened.config, opened.evaluator
    evaluator.timed = False
    points = made_by(record.reader, OPERATOR, told) if config.uses_models else 0
    budget = BudgetSection(iterations=told - points)  # without the seconds, which differ from run to run
    offline = config.model_copy(update={"model": (), "budget": budget})
    setup = RecalledSetup(
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

    def observe(campaign: Campaign) -> None:
        notify("iterations", campaign.search.tally.told, told)

    store = Store(again)
    try:
        record_setup(store, setup, again, None)
        store.set("docstrings", record.reader.record("docstrings"))
        store.set("timing", record.reader.record("timing") or {"floor_seconds": 0.0, "pace_seconds": 0.0})
        store.set("gates", record.reader.record("gates") or [])
        store.set("founder_seconds", record.reader.record("founder_seconds") or {})
        _copy_baselines(record, store, evaluator.version)
        watcher = compose.Watcher(notify, observe=observe)
        source = recorded_source(record.reader, config)
        with compose.prepared(setup, store, again, starts, watcher, source) as campaign:
            campaign.validation.left_out.update(record.reader.record("left_out") or ())
            campaign.run()
            if isinstance(campaign.trouble, NotRecorded):
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
    again = iter(told_rows(now))
    for row in told_rows(record):
        yield row, next(again, None)


def _compare_outcome(record: RunRecord, now: RunRecord, findings: Findings) -> None:
    """The archive cell by cell, validation, champion and test."""
    then, again = cells(record), cells(now)
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
    from ..record.elites import rebuild

    archive, places = rebuild(record), Counter[tuple[int, tuple[int, ...]]]()
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
