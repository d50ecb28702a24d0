"""Checks a problem before it is trusted: its contract, and attacks such as candidates come up with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from math import inf
from queue import Empty, SimpleQueue
from typing import IO, Any

from ...sandbox.base import SandboxError
from ...sandbox.interpreter import START_FOLDER, environment, module_places, python
from .findings import Finding, Report

__all__ = ["Finding", "Report", "check_problem"]

SECONDS = 12.0
PATIENCE_SECONDS = 90.0
"""Wall seconds that one check may take; then its process is ended."""
_GRACE_SECONDS = 1.0
"""Wall seconds from the limit until the check at work is ended."""


def check_problem(
    problem: Any,
    parameters: Mapping[str, Any] | None = None,
    *,
    seconds: float = SECONDS,
    patience: float = PATIENCE_SECONDS,
    notify: Callable[[str], None] = lambda name: None,
    quick: bool = False,
    limit: float | None = None,
) -> Report:
    """Runs every check on a problem in a separate process, so that a check without end can be stopped.

    Args:
        problem: a name, a file, `module:attribute`, or an object as for `run_campaign`.
        parameters: its `[problem]` table.
        seconds: wall seconds in all, about; samples are smaller when they are few.
        patience: wall seconds that one check may take.
        notify: called with the name of each check as it starts.
        quick: make only the checks that take about a second or less each.
        limit: wall seconds of the whole check, about; the checks that do not fit are left out and named.

    Raises:
        ProblemError: the problem cannot be loaded at all.
        SandboxError: its programs cannot be run safely here.
    """
    from ..door.foreign import is_foreign
    from ..door.given import spec_of
    from ..door.plugins import load_problem

    spec = spec_of(problem)
    if is_foreign(spec):
        from .foreign import check_task

        return check_task(spec, parameters or {}, notify, inf if limit is None else limit)
    report, started = Report(load_problem(spec, parameters).name), time.monotonic()
    ends = inf if limit is None else started + limit + _GRACE_SECONDS
    place = [os.getcwd(), module_places()]
    job = json.dumps([spec, dict(parameters or {}), min(seconds, limit or seconds), *place, quick, limit])
    process = subprocess.Popen(
        python("-m", f"{__name__}.child"),
        cwd=START_FOLDER,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,
    )
    name, ended, names = "start", False, list[str]()
    try:
        for line in _lines(process, job, patience, ends):
            kind, value = json.loads(line)
            if kind == "checks":
                names = value
            elif kind == "check":
                name = value
                notify(name)
            elif kind == "report":
                report = Report.of(value)
            elif kind == "sandbox":
                raise SandboxError(*value)
            ended = kind == "end"
        if not ended and (time.monotonic() < ends or process.poll() is not None):
            _not_ended(report, name, process, patience)
        elif not ended and not names:
            names = ["all, for the instances were not drawn in time"]
    finally:
        _end(process)
    if limit is not None:
        report.left_out = [name for name in names if name not in report.checks]
    report.measured.setdefault("seconds", round(time.monotonic() - started, 2))
    return report


def _lines(process: subprocess.Popen[str], job: str, patience: float, ends: float) -> Iterator[str]:
    """Lines of the process, until it ends, says nothing for too long, or its time is over (`monotonic`)."""
    assert process.stdin is not None
    assert process.stdout is not None
    lines: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_copy, args=(process.stdout, lines), daemon=True).start()
    try:
        process.stdin.write(job)
        process.stdin.close()
        while line := lines.get(timeout=max(0.0, min(patience, ends - time.monotonic()))):
            yield line
    except (Empty, BrokenPipeError):
        return


def _copy(source: IO[str], lines: SimpleQueue[str]) -> None:
    for line in source:
        lines.put(line)
    lines.put("")


def _not_ended(report: Report, name: str, process: subprocess.Popen[str], patience: float) -> None:
    code = process.poll()
    report.add(
        "check-failed",
        sent=f"the check: {name}",
        got=f"no end within {patience:g} s" if code is None else f"its process ended with exit code {code}",
        why="a candidate that comes across this would stop a campaign; the checks behind it were not made",
        fix="look for a loop or a recursion over what an answer holds, and for an `except` that swallows "
        "everything",
    )


def _end(process: subprocess.Popen[str]) -> None:
    """Ends the process and those that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
