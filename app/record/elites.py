"""The archive of a run as it stands in the store: the same additions in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...evaluators.scoring import normalised_loss
from ...evolve.archive import Archive
from ...evolve.base import Elite
from ...evolve.measures import DEFAULT_NAMES, MeasureSpace
from ...evolve.store.schema import StoreError
from .record import RunRecord

_MOST_ISLANDS = 64
"""Islands that a configuration may ask for."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One addition or resettling: after which outcome it came, the candidates, their island."""

    told: int
    rank: int
    candidates: tuple[str, ...]
    island: int
    kind: str


def rebuild(record: RunRecord) -> Archive | None:
    """The archive of a run; None before its start programs were evaluated."""
    archive = None
    for _, now in replayed(record):
        archive = now
    return archive


def replayed(record: RunRecord) -> Iterator[tuple[int, Archive]]:
    """(told iterations, the archive by then) after the start programs and after each step that changed it.

    It is the same archive each time, nothing at all before the start programs were evaluated. Only candidates
    that took a cell are loaded, so that a long campaign costs little.
    """
    starts = record.reader.record("starts") or ([record.start] if record.start else [])
    evaluation = record.evaluation(starts[0], "train") if starts else None
    if evaluation is None:
        return
    instances = {id: i for id, i in record.instances.items() if i.split == "train"}
    section = record.config.get("archive") or {}
    names = section.get("measures", DEFAULT_NAMES)
    space = MeasureSpace.of(
        names, evaluation, instances, lambda score: normalised_loss(score, instances[score.instance])
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
            _add(record, archive, id, island)
    yield 0, archive
    placed: dict[str, Elite] = {e.candidate.id: e for e in archive.elites()}
    for step in _steps(record):
        if not 0 <= step.island < islands:
            raise StoreError(
                f"{record.folder}: island {step.island}, expected 0 to {islands - 1}; the file is damaged"
            )
        known = [placed[id] for id in step.candidates if id in placed]
        if step.kind == "reset":
            archive.reset(step.island, known)
        elif step.kind == "migration":
            for elite in known:
                archive.migrate(elite, step.island)
        else:
            _add(record, archive, step.candidates[0], step.island)
            placed |= {e.candidate.id: e for e in archive.elites(step.island)}
        yield step.told, archive


def _add(record: RunRecord, archive: Archive, id: str, island: int) -> None:
    evaluation = record.evaluation(id, "train")
    if evaluation is not None and evaluation.fitness is not None:
        archive.add(record.candidate(id), evaluation, island)


def _steps(record: RunRecord) -> list[_Step]:
    """Additions and migrations that took a cell and resettlings, in the order in which they happened."""
    rows = record.reader.rows(
        "SELECT told, island, candidate FROM iterations WHERE added > 0 AND candidate IS NOT NULL"
    )
    steps = [_Step(row["told"], 0, (row["candidate"],), row["island"], "addition") for row in rows]
    for rank, event in enumerate(record.reader.events(), start=1):
        if event.kind == "migration" and event.data.get("added"):
            moved = (event.data["candidate"],)
            steps.append(_Step(event.iteration, rank, moved, event.data["to"], event.kind))
        elif event.kind == "reset":
            settled = tuple(event.data["candidates"])
            steps.append(_Step(event.iteration, rank, settled, event.data["island"], event.kind))
    return sorted(steps, key=lambda step: (step.told, step.rank))
