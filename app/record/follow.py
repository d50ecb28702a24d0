"""Follows a run from another process: its rows as they are stored, each exactly once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...evolve.store.exports import new_rows
from .record import open_record
from .runs import status

LEAST_SECONDS = 1.0
"""Shortest pause between two looks, wall seconds."""
_SHARE = 0.02
"""Share of one core that following may use."""


def follow(folder: Path, *, wait: bool = True) -> Iterator[dict[str, Any]]:
    """Yields outcomes, evaluations and events of a run, then, with `wait`, more until the campaign has ended.

    Rows are those of `new_rows`. A row that is stored after the campaign's last look is not missed: the state
    is read before the rows.
    """
    last, checked = {"outcome": 0, "event": 0, "evaluation": 0}, True
    while True:
        spent = time.process_time()
        with open_record(folder, checked=checked) as record:
            state = status(folder, record.reader.record("stop_reason"))
            new = new_rows(record.reader, *last.values())
            rows = sorted(new, key=lambda row: float(row["at"] or 0.0))
        checked = False
        for row in rows:
            what = row["what"]
            last[what] = max(last[what], row["told" if what == "outcome" else "id"])
            yield row
        if state != "running" or not wait:
            return
        time.sleep(max(LEAST_SECONDS, (time.process_time() - spent) / _SHARE))
