"""Simplified forms of candidates, stored with the run."""

from __future__ import annotations

from typing import Any, Final

from .record import RunRecord

RECORD: Final = "simplified"
"""Key of the run's record that maps a candidate to the document of its simplified form."""


def kept(record: RunRecord, id: str) -> dict[str, Any] | None:
    """Document of a candidate's simplified form; None if the candidate was never simplified."""
    document: dict[str, Any] | None = (record.reader.record(RECORD) or {}).get(id)
    return document
