"""What a run's document says of its workbench: looks that were taken, where its champion is specialised."""

from __future__ import annotations

from typing import Any

from ...evolve.store.operations import Counts, counts
from ...evolve.store.reader import Reader

KINDS = ("submit", "probe", "experiment", "instance", "compare", "read", "note")


def operation_counts(reader: Reader) -> dict[str, int]:
    """Kind → operations that were not refused, the one under way and those that a kill ended too (counts)."""
    found = counts(reader)
    return {kind: (made := found.get(kind, Counts())).done + made.broken for kind in KINDS}


def experiment_seconds(reader: Reader) -> tuple[float, float | None]:
    """CPU seconds that experiments used, and that they may use together; None for no limit."""
    used = counts(reader).get("experiment", Counts()).cpu_seconds
    allowed = (reader.record("bench") or {}).get("experiment_cpu_seconds")
    return used, None if allowed is None else float(allowed)


def workbench(reader: Reader) -> dict[str, Any]:
    """The part of a run's document on its workbench; empty for a run without one."""
    if reader.record("bench") is None:
        return {}
    return {
        "workbench": {
            "operations": operation_counts(reader),
            "experiment_cpu_seconds": list(experiment_seconds(reader)),
            "neighbours": reader.record("neighbours"),
        }
    }
