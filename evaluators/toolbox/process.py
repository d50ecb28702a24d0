"""The parent's side of a solver run: starts a fresh process with a hard time limit and reads its report."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...sandbox.interpreter import environment, python

GRACE_SECONDS = 2.0
"""Wall seconds by which a solver may overrun its time limit before it is killed."""

START_SECONDS = 60.0
"""Wall seconds that importing a solver may take on a busy machine."""


class SolverError(RuntimeError):
    """The solver could not run: it is not installed, or its process failed."""


@dataclass(slots=True)
class WorkerReport:
    """A worker's report, complete or cut off.

    Attributes:
        ended: the outcome that the worker reports (`optimal`, `limit`, `infeasible`, `unbounded`, `invalid`),
            or `killed`.
        value: objective of the last incumbent, as the solver reports it.
        bound: last bound that the solver reports as proven.
        solution: values of the last incumbent, by position.
        message: fault of an invalid model.
        version: version of the solver.
        seconds: wall seconds of the run.
        cpu_seconds: CPU seconds of solving, without the start and the model; None if the solver gave none.
        note: why the worker did not end by itself; empty if it did.
        result: of a call, its result or what it noted last.
    """

    ended: str = "killed"
    value: float | None = None
    bound: float | None = None
    solution: list[float] | None = None
    message: str = ""
    version: str = "unknown"
    seconds: float = 0.0
    cpu_seconds: float | None = None
    note: str = ""
    result: Any = None


def run_worker(
    solver: str,
    model: str,
    options: Mapping[str, Any],
    seconds: float,
    *,
    spare: float = GRACE_SECONDS,
    what: str | None = None,
) -> WorkerReport:
    """Runs one solver on one model in a separate process.

    Args:
        solver: `highs`, `cbc` or `cp-sat`, or `call` for a function of the evaluators.
        model: text of the model in the worker's format for this solver.
        options: `workers` and `seed`, of CP-SAT maybe `effort`; of a call the `function`.
        seconds: wall seconds of solving, > 0.
        spare: wall seconds after which the process is killed then, at most `GRACE_SECONDS` once a call has
            noted a result.
        what: name in error messages; None for the solver's.

    Raises:
        SolverError: the solver is not installed, or its process failed for a reason other than a limit.
    """
    if not seconds > 0:
        raise ValueError(f"seconds: got {seconds!r}, expected a number > 0 (wall seconds)")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="gapsmith-solver-") as name:
        folder = Path(name)
        (folder / "model").write_text(model, encoding="utf-8")
        job = {"solver": solver, "seconds": seconds, **options}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        with (folder / "errors").open("wb") as errors:
            process = subprocess.Popen(
                python("-m", f"{__package__}.worker", name),
                stdin=subprocess.PIPE,  # closes when the parent ends, which ends the worker
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=name,
                env=_environment(),
                start_new_session=True,
            )
            try:
                report = _listen(process, seconds, spare)
            finally:
                _kill(process)
        report.seconds = time.monotonic() - started
        _explain(report, process.returncode, folder, what or solver)
    return report


def _listen(process: subprocess.Popen[bytes], seconds: float, spare: float) -> WorkerReport:
    """Collects the worker's lines until the worker ends or its time is over."""
    assert process.stdout is not None
    report = WorkerReport()
    ready: float | None = None
    late = spare
    deadline = time.monotonic() + START_SECONDS
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(max(0.0, deadline - time.monotonic())):
            chunk = os.read(process.stdout.fileno(), 1 << 20)
            if not chunk:
                process.wait()
                return report
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                if _take(report, json.loads(line)):
                    ready = time.monotonic()
                if ready is not None:
                    late = spare if report.result is None else min(spare, GRACE_SECONDS)
                    deadline = ready + seconds + late
    report.note = f"killed {late:g} s after the limit of {seconds:g} s"
    return report


def _take(report: WorkerReport, event: dict[str, Any]) -> bool:
    """Adds one line of the worker to the report; returns whether the line says that solving begins."""
    for key, value in event.items():
        if key != "ready":
            setattr(report, key, value)
    return "ready" in event


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the worker and its children."""
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def _explain(report: WorkerReport, code: int, folder: Path, solver: str) -> None:
    """Completes the report of a worker that ended without a last line."""
    if report.ended != "killed":
        return
    from .runners import cbc_log_bound

    if solver == "cbc":
        report.bound = cbc_log_bound(folder)
    if report.note:
        return
    words = (folder / "errors").read_text(encoding="utf-8", errors="replace").strip()
    last = words.splitlines()[-1] if words else ""
    if code > 0 and "MemoryError" not in words and "bad_alloc" not in words:
        raise SolverError(f"{solver}: the solver's process ended with code {code}: {last or 'no message'}")
    report.note = f"the solver's process died ({last or f'signal {-code}'})"


def _environment() -> dict[str, str]:
    """The few environment variables that a solver needs; leaves out all others, such as providers' keys."""
    kept = ("PATH", "HOME", "TMPDIR", "TEMP", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "SYSTEMROOT")
    return environment({name: os.environ[name] for name in kept if name in os.environ})
