"""What `--workers` and `run.workers` may say: threads, or processes."""

from __future__ import annotations

import os
import re
from enum import StrEnum


class Workers(StrEnum):
    """What evaluates candidates."""

    THREADS = "threads"
    PROCESSES = "processes"


MOST_WORKERS = 256
_WORKERS = re.compile(r"(?:processes:)?([0-9]{1,4})|processes")
WORKERS_FORM = f"expected 1 to {MOST_WORKERS}, processes or processes:N"


def read_workers(value: object) -> int | str:
    """`run.workers` as it is kept: a count for threads, a text for other workers.

    Raises:
        ValueError: it is neither a count nor such a text.
    """
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    match = _WORKERS.fullmatch(text) if isinstance(text, str) else None
    if match is None or not 1 <= int(match[1] or 1) <= MOST_WORKERS:
        raise ValueError(WORKERS_FORM)
    return int(match[0]) if match[0].isdecimal() else match[0]


def kind_of(workers: int | str | None) -> Workers:
    """What the workers are."""
    return Workers.PROCESSES if isinstance(workers, str) else Workers.THREADS


def slots_of(workers: int | str | None) -> int:
    """Sandbox slots at work on this machine (count)."""
    count = workers.rpartition(":")[2] if isinstance(workers, str) else workers
    return int(count) if count and str(count).isdecimal() else os.cpu_count() or 1
