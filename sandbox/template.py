"""A workshop's template process seen from the tool: started, handed jobs, and ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .base import SandboxError
from .unseen import clean

_BOOT_SECONDS = 60.0
_END_SECONDS = 1.0
_REPORT_BYTES = 1 << 16
_BOOTSTRAP = """
import sys
sys.path.insert(0, sys.argv.pop(1))
sys.dont_write_bytecode = False
from sealed import zygote
sys.dont_write_bytecode = True
sys.path[:] = [place for place in sys.path[1:] if place]
zygote.main()
"""


class Template:
    """A running template.

    Attributes:
        unsound: why no jail should be forked from it; empty where all is well.
    """

    def __init__(self, python: str, settings: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        """Starts a template.

        Args:
            python: interpreter with the evaluator's packages.
            settings: `driver`, `without`, `packages`, and `names`: those of the task's own modules.
            environment: the whole of it.

        Raises:
            SandboxError: it did not start; says which layer, why, and what to do.
        """
        self._process: subprocess.Popen[bytes] | None = None
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with contextlib.ExitStack() as stack:
            stack.callback(theirs.close)
            errors, given = (memory(stack) for _ in range(2))
            os.pwrite(given, json.dumps(dict(settings)).encode(), 0)
            try:
                self._start(python, theirs.fileno(), given, errors, environment)
                theirs.close()
                self.unsound = str(self._greeting(errors)["unsound"])
            except BaseException:
                self.close()
                raise

    def _start(
        self, python: str, control: int, given: int, errors: int, environment: Mapping[str, str]
    ) -> None:
        words = [python, "-B", "-X", "utf8", "-c", _BOOTSTRAP, str(Path(__file__).parent)]
        try:
            self._process = subprocess.Popen(
                [*words, str(control), str(given)],
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                env=dict(environment),
                cwd="/",
                start_new_session=True,  # a Ctrl-C in the terminal is for the tool
                pass_fds=(control, given),
            )
        except OSError as error:
            hint = "name an interpreter with the evaluator's packages in `problem.python`"
            raise SandboxError("platform", f"{python}: {error.strerror}", hint) from error

    def _greeting(self, errors: int) -> dict[str, Any]:
        self._control.settimeout(_BOOT_SECONDS)
        try:
            raw = self._control.recv(_REPORT_BYTES)
        except (TimeoutError, ConnectionError):
            raw = b""
        self._control.settimeout(None)
        if not raw:
            said = clean(os.pread(errors, 4096, 0).decode(errors="replace").strip().rpartition("\n")[2])
            reason = f"the workshop's jail did not start: {said[:300] or 'no message'}"
            raise SandboxError("platform", reason, "run `gapsmith doctor`")
        return checked(json.loads(raw))

    @property
    def pid(self) -> int | None:
        """Number of the process; None when it has been ended."""
        return None if self._process is None else self._process.pid

    def run(self, places: Sequence[int], seconds: float) -> dict[str, Any]:
        """Hands over a job and returns the report of its jail.

        Args:
            places: descriptors of the job, its output and its answer.
            seconds: wall seconds after which a jail that is silent has failed.

        Raises:
            SandboxError: a layer could not be put on, or the jail came to no end; the template is of no more
                use then.
        """
        reading, writing = os.pipe2(os.O_CLOEXEC)
        try:
            try:
                socket.send_fds(self._control, [b"J"], [*places, writing])
            except OSError as error:
                raise SandboxError("platform", f"the template ended: {error}", "try again") from error
            finally:
                os.close(writing)
            poller = select.poll()
            poller.register(reading, select.POLLIN)
            raw = os.read(reading, _REPORT_BYTES) if poller.poll(1000 * seconds) else b""
        finally:
            os.close(reading)
        if not raw:
            raise SandboxError("platform", "the workshop's jail gave no report", "run `gapsmith doctor`")
        return checked(json.loads(raw))

    def close(self) -> None:
        """Ends the template, which ends the jail that it forked last."""
        self._control.close()
        process, self._process = self._process, None
        if process is None:
            return
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:  # the process is not reaped, so no other group can have this id
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def checked(report: dict[str, Any]) -> dict[str, Any]:
    """A report that names no error.

    Raises:
        SandboxError: the report names one.
    """
    if "error" in report:
        raise SandboxError(report["layer"], report["error"], hint(report["layer"]))
    return report


def hint(layer: str) -> str:
    """What to do where a layer does not work."""
    return f"see docs/explanation/sandbox.md on workshops, or accept the risk with `--unsafe-without {layer}`"


def memory(stack: contextlib.ExitStack) -> int:
    """A file in memory that is closed with the stack."""
    place = os.memfd_create("gapsmith-workshop", os.MFD_CLOEXEC)
    stack.callback(os.close, place)
    return place
