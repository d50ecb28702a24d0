"""The recorded course of a run: steps, replies of models, and the archive rebuilt from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...evaluators.scoring import normalised_loss
from ...evolve.archive import Archive
from ...evolve.course import Course
from ...evolve.llm.base import RECOURSE, ErrorKind, Recourse
from ...evolve.llm.cassette import Cassette, Exchange
from ...evolve.measures import DEFAULT_NAMES, MEASURES, MeasureSpace
from ...evolve.store.course import additions, deciding_calls, operators_by_iteration, rejected_for, unfinished
from ...evolve.store.course import steps as recorded_steps
from ...evolve.store.reader import Reader
from ...evolve.store.rows import read_completion
from ...evolve.store.schema import StoreError
from ...evolve.store.statistics import calls
from ...evolve.types import Elite, Prompt, RejectionReason
from ..errors import USAGE, UserError
from .champions import floor_of
from .stored_run import StoredRun

OF_ORDER = (RejectionReason.DUPLICATE, RejectionReason.NEAR_DUPLICATE)
"""Rejections that depend on which text came first."""

_USELESS = tuple(k.value for k in ErrorKind if RECOURSE.get(k) in (Recourse.AGAIN, Recourse.REJECT))


def cassette_of(reader: Reader) -> Cassette:
    """The replies of a run, and its course if it has one of its own.

    Raises:
        UserError: no model was asked.
    """
    if not calls(reader).calls:
        raise UserError(USAGE, "the run asked no model, so there is nothing to answer from")
    tables = (reader.record("config") or {}).get("model", ())
    course = None if as_asked(table["spec"] for table in tables) else recorded_course(reader)
    return recorded_replies(reader, course)


def recorded_replies(reader: Reader, course: Course | None = None) -> Cassette:
    """All that models said in a run, with the name that each ask was counted by."""
    return Cassette(exchanges(reader), course, operators_by_iteration(reader))


def as_asked(specs: Iterable[str]) -> bool:
    """Whether these models make a campaign tell outcomes in the order of asking; a record may hold another
    order.
    """
    return all(spec.startswith(("scripted/", "offline")) for spec in specs)


def recorded_course(reader: Reader) -> Course:
    """The course of a run up to the last outcome."""
    steps = list(recorded_steps(reader))
    while steps and steps[-1] > 0:
        steps.pop()
    late = rejected_for(reader, [reason.value for reason in OF_ORDER])
    return Course(tuple(steps), late, unfinished(reader))


def exchanges(reader: Reader) -> Iterable[Exchange]:
    """The reply to every question of a run, in order; else the last unusable reply to it."""
    prompts: dict[str, Prompt] = {}
    for row in deciding_calls(reader, _USELESS):
        digest = row["prompt"]
        if digest not in prompts and (prompt := reader.prompt(digest)) is not None:
            prompts[digest] = prompt
        yield Exchange(
            row["iteration"],
            row["round"],
            row["model"],
            row["operator"],
            prompts[digest],
            None if row["text"] is None else read_completion(row),
            json.loads(row["parameters"]),
            None if row["state"] == "replied" else ErrorKind(row["error_kind"]),
            "" if row["text"] is None and row["error_kind"] != ErrorKind.TOO_LONG else row["error"] or "",
            row["named"] or "",
        )


# Rebuilds the archive of a run from its store, by the same additions in the same order.

_MOST_ISLANDS = 64
"""Largest number of islands that a configuration may ask for."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One change of the archive.

    Attributes:
        told: number of iterations told before the change.
        rank: order among the changes after the same iteration.
        candidates: ids of the candidates that are added, moved or settled.
        island: the island that changes; of a growth 0.
        kind: `addition`, `migration`, `reset` or `growth`.
        prefix: training instances in use after a growth (count).
    """

    told: int
    rank: int
    candidates: tuple[str, ...]
    island: int
    kind: str
    prefix: int = 0


def rebuild(record: StoredRun) -> Archive | None:
    """The archive of a run; None until a start program has been evaluated."""
    archive = None
    for _, now in replayed(record):
        archive = now
    return archive


def replayed(record: StoredRun) -> Iterator[tuple[int, Archive]]:
    """Yields (told iterations, archive) after the start programs and after each change of the archive.

    Yields one and the same archive object each time, and nothing until a start program has been evaluated.
    Loads only candidates that took a cell, so that a long campaign costs little.
    """
    starts = record.reader.record("starts") or ([record.start] if record.start else [])
    prefix = record.prefixes[0]
    evaluation = record.evaluation(starts[0], "train", prefix) if starts else None
    if evaluation is None:
        return
    instances = {id: i for id, i in record.instances.items() if i.split == "train"}
    section = record.config.get("archive") or {}
    names = section.get("measures", DEFAULT_NAMES)
    if unknown := [name for name in names if name not in MEASURES]:
        raise StoreError(
            f"{record.folder}: measure {unknown[0]!r} of the archive is not known here; the run was made by "
            "another version of Gapsmith"
        )
    space = MeasureSpace.of(
        names,
        evaluation,
        instances,
        lambda score: normalised_loss(score, instances[score.instance]),
        floor_of(record.reader),
    )
    alone = (record.config.get("campaign") or {}).get("control", "none") != "none"
    islands = 1 if alone else int(section.get("islands", 1))
    if not 1 <= islands <= _MOST_ISLANDS:
        raise StoreError(
            f"{record.folder}: {islands} islands, expected 1 to {_MOST_ISLANDS}; the file is damaged"
        )
    archive = Archive(space, islands)
    for id in starts:
        for island in range(archive.islands):
            _add(record, archive, id, island, prefix)
    yield 0, archive
    placed: dict[str, Elite] = {e.candidate.id: e for e in archive.elites()}
    for step in _steps(record):
        if not 0 <= step.island < islands:
            raise StoreError(
                f"{record.folder}: island {step.island}, expected 0 to {islands - 1}; the file is damaged"
            )
        elites = [placed[id] for id in step.candidates if id in placed]
        if step.kind == "growth":
            prefix = step.prefix
            _grow(record, archive, prefix)
            placed |= {e.candidate.id: e for e in archive.elites()}
        elif step.kind == "reset":
            archive.reset(step.island, elites)
        elif step.kind == "migration":
            for elite in elites:
                archive.migrate(elite, step.island)
        else:
            _add(record, archive, step.candidates[0], step.island, prefix)
            placed |= {e.candidate.id: e for e in archive.elites(step.island)}
        yield step.told, archive


def _grow(record: StoredRun, archive: Archive, prefix: int) -> None:
    evaluations = {}
    for elite in archive.elites():
        id = elite.candidate.id
        evaluation = record.evaluation(id, "train", prefix)
        if evaluation is None or (evaluation.fitness is not None and len(evaluation.scores) != prefix):
            raise StoreError(
                f"{record.folder}: candidate {id} has no evaluation on {prefix} training instances; "
                "the file is damaged"
            )
        evaluations[id] = evaluation
    archive.grow(evaluations)


def _add(record: StoredRun, archive: Archive, id: str, island: int, prefix: int) -> None:
    evaluation = record.evaluation(id, "train", prefix)
    if evaluation is not None and evaluation.fitness is not None:
        archive.add(record.candidate(id), evaluation, island)


def _steps(record: StoredRun) -> list[_Step]:
    """Additions and migrations that took a cell, and resets, in the order in which they happened."""
    rows = additions(record.reader)
    steps = [_Step(row["told"], 0, (row["candidate"],), row["island"], "addition") for row in rows]
    for rank, event in enumerate(record.reader.events(), start=1):
        if event.kind == "migration" and event.data.get("added"):
            moved = (event.data["candidate"],)
            steps.append(_Step(event.iteration, rank, moved, event.data["to"], event.kind))
        elif event.kind == "reset":
            settled = tuple(event.data["candidates"])
            steps.append(_Step(event.iteration, rank, settled, event.data["island"], event.kind))
        elif event.kind == "growth":
            steps.append(_Step(event.iteration, rank, (), 0, event.kind, int(event.data["prefix"])))
    return sorted(steps, key=lambda step: (step.told, step.rank))
