"""Iterations as a budget counts them: beside models, points of tuning are none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...evolve.store.reader import Reader
from ...evolve.store.tally import Tally
from ...evolve.store.work import asked, made_by, work
from ...evolve.tune import OPERATOR


def asked_iterations(reader: Reader) -> int:
    """Iterations that were asked for (count)."""
    return asked(reader) - _points(reader, told=False)


def told_iterations(reader: Reader) -> int:
    """Iterations that were told (count)."""
    return work(reader).iterations - _points(reader, told=True)


def tallied_iterations(config: Mapping[str, Any], tally: Tally) -> int:
    """Iterations that a tally counted as told (count), under the run's configuration."""
    return tally.work.iterations - (tally.operators[OPERATOR] if _points_are_free(config) else 0)


def _points(reader: Reader, *, told: bool) -> int:
    """Points of tuning that no budget counts (count)."""
    free = _points_are_free(reader.record("config") or {})
    return made_by(reader, OPERATOR, told=told) if free else 0


def _points_are_free(config: Mapping[str, Any]) -> bool:
    """Whether a model takes part, beside which points of tuning are no iterations."""
    specs = [table.get("spec") for table in config.get("model", ())]
    return any(spec != "offline" for spec in specs)
