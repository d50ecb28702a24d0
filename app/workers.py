"""What `--workers` and `run.workers` may say: threads, processes, or the nodes of a Ray cluster."""

from __future__ import annotations

import os
import re
from enum import StrEnum


class Workers(StrEnum):
    """What evaluates candidates."""

    THREADS = "threads"
    PROCESSES = "processes"
    RAY = "ray"


MOST_WORKERS = 256
_WORKERS = re.compile(r"(?:processes:)?([0-9]{1,4})|processes|ray|ray://[^\s/@]+:[0-9]{1,5}")
WORKERS_FORM = f"expected 1 to {MOST_WORKERS}, processes, processes:N, ray or ray://HOST:PORT"


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
    if isinstance(workers, str):
        return Workers.RAY if workers.startswith("ray") else Workers.PROCESSES
    return Workers.THREADS


def slots_of(workers: int | str | None) -> int:
    """Programs that may run at once on this machine (count)."""
    count = str(workers or "").removeprefix("processes:")
    return int(count) if count.isdecimal() else os.cpu_count() or 1
