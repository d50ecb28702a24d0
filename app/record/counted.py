"""Iterations as a budget counts them: beside models, points of tuning are none."""

from __future__ import annotations

from ...evolve.store.reader import Reader
from ...evolve.store.work import asked, made_by, work
from ...evolve.tune import OPERATOR


def asked_iterations(reader: Reader) -> int:
    """Iterations that were asked for (count)."""
    return asked(reader) - _points(reader, told=False)


def told_iterations(reader: Reader) -> int:
    """Iterations that were told (count)."""
    return work(reader).iterations - _points(reader, told=True)


def _points(reader: Reader, *, told: bool) -> int:
    """Points of tuning that no budget counts (count)."""
    specs = [table.get("spec") for table in (reader.record("config") or {}).get("model", ())]
    return made_by(reader, OPERATOR, told=told) if any(spec != "offline" for spec in specs) else 0
