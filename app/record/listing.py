"""The list of runs: one row for each run, read without loading instances."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...evolve.store.opening import GLANCE_SECONDS
from ...evolve.store.progress import mean_gap, mean_score
from ...evolve.store.reader import Reader
from ...evolve.store.schema import StoreError
from .counted import told_iterations
from .reported import REPORTED, trust
from .runs import misnamed, preparing, status
from .seal import is_own
from .summary import best_candidate

_EMPTY = dict.fromkeys(("problem", "model", "iterations", "best_gap_percent", "started", "group"))


def run_row(folder: Path) -> dict[str, Any]:
    """One run under the field names of the JSON contract.

    A store that cannot be read gives `status` `unreadable` and a `note` with the reason, whatever is wrong
    with it: one damaged run must not end the list of all.
    """
    if preparing(folder):
        return {"run": folder.name, **_EMPTY, "status": "preparing", "foreign": False, "unsafe_without": []}
    try:
        if fault := misnamed(folder):
            raise StoreError(fault)
        reader = Reader.open(folder, checked=False, seconds=GLANCE_SECONDS)
        try:
            with reader.sound("run"):
                return _row(folder, reader)
        finally:
            reader.close()
    except Exception as error:
        why = str(error) if isinstance(error, StoreError) else f"damaged ({type(error).__name__}: {error})"
        unknown = {"status": "unreadable", "foreign": True, "unsafe_without": [], "note": why}
        return {"run": folder.name, **_EMPTY, **unknown}


def _row(folder: Path, reader: Reader) -> dict[str, Any]:
    models, best = reader.record("model") or [], best_candidate(reader)
    return {
        "run": folder.name,
        "problem": (reader.record("problem") or {}).get("name"),
        "model": models if isinstance(models, str) else ", ".join(models) or None,
        "status": status(folder, reader.record("stop_reason")),
        "foreign": not is_own(reader),
        "unsafe_without": list(reader.record("unsafe_without") or ()),
        "iterations": told_iterations(reader),
        "best_gap_percent": mean_gap(reader, best, "valid"),
        **_reported(reader, best),
        "started": reader.record("created"),
        "group": reader.record("group"),
    }


def _reported(reader: Reader, best: str | None) -> dict[str, Any]:
    """The best score where scores are only reported, else nothing."""
    if trust(reader) != REPORTED:
        return {}
    return {"trust": REPORTED, "best_reported_score": mean_score(reader, best, "valid")}
