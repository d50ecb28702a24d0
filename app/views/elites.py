"""The archive of a run as it stands in the store: the same additions in the same order."""

from __future__ import annotations

from dataclasses import dataclass

from ...evolve.archive import Archive
from ...evolve.base import Elite
from ...evolve.measures import MeasureSpace, hard_instances
from .record import RunRecord


@dataclass(frozen=True, slots=True)
class _Step:
    """One addition: after which outcome it came, the candidate, its island."""

    told: int
    rank: int
    candidate: str
    island: int
    migrated: bool


def rebuild(record: RunRecord) -> Archive | None:
    """The archive of a run; None before its start programs were evaluated.

    Only candidates that took a cell are loaded, so that a long campaign costs little.
    """
    starts = record.reader.record("starts") or ([record.start] if record.start else [])
    evaluation = record.evaluation(starts[0], "train") if starts else None
    if evaluation is None:
        return None
    instances = {id: i for id, i in record.instances.items() if i.split == "train"}
    space = MeasureSpace(hard_instances(evaluation, instances))
    archive = Archive(space, int((record.config.get("archive") or {}).get("islands", 1)))
    for id in starts:
        for island in range(archive.islands):
            _add(record, archive, id, island)
    placed: dict[str, Elite] = {e.candidate.id: e for e in archive.elites()}
    for step in _steps(record):
        if not step.migrated:
            _add(record, archive, step.candidate, step.island)
            placed |= {
                e.candidate.id: e for e in archive.elites(step.island) if e.candidate.id == step.candidate
            }
        elif step.candidate in placed:
            archive.migrate(placed[step.candidate], step.island)
    return archive


def _add(record: RunRecord, archive: Archive, id: str, island: int) -> None:
    evaluation = record.evaluation(id, "train")
    if evaluation is not None and evaluation.fitness is not None:
        archive.add(record.candidate(id), evaluation, island)


def _steps(record: RunRecord) -> list[_Step]:
    """Additions that took a cell and migrations that did, in the order in which they happened."""
    rows = record.reader.rows(
        "SELECT told, island, candidate FROM iterations WHERE added > 0 AND candidate IS NOT NULL"
    )
    steps = [_Step(row["told"], 0, row["candidate"], row["island"], False) for row in rows]
    for rank, event in enumerate(record.reader.events("migration"), start=1):
        if event.data.get("added"):
            steps.append(_Step(event.iteration, rank, event.data["candidate"], event.data["to"], True))
    return sorted(steps, key=lambda step: (step.told, step.rank))
