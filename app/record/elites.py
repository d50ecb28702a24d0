"""Rebuilds the archive of a run from its store, by the same additions in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...evaluators.scoring import normalised_loss
from ...evolve.archive import Archive
from ...evolve.base import Elite
from ...evolve.measures import DEFAULT_NAMES, MEASURES, MeasureSpace
from ...evolve.store.recorded import additions
from ...evolve.store.schema import StoreError
from .champions import floor_of
from .stored_run import StoredRun

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
        archive.add(record.candidate(id), evaluation, island, second=True)


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
