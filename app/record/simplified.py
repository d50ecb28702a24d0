"""Simplified forms that a run keeps."""

from __future__ import annotations

from typing import Any

from .record import RunRecord

RECORD = "simplified"
"""Key of the run's own record: candidate → document of its simplified form."""


def kept(record: RunRecord, id: str) -> dict[str, Any] | None:
    """Document of a candidate's simplified form, None if none was made."""
    found: dict[str, Any] | None = (record.reader.record(RECORD) or {}).get(id)
    return found
