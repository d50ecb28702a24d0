"""One fork server seen from the tool: started, asked, and ended. Holds no policy of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .base import SandboxError
from .interpreter import START_FOLDER, environment, module_places, python
from .policy import Policy
from .sealed.protocol import REQUEST, SEAL_FAILED, VERDICT

_BOOT_SECONDS = 60.0
_PERIODS = 8  # a child that computes gets its wall limit several times
_GRACE_SECONDS = 10.0  # beyond all of them, before a silent server counts as dead
_BOOTSTRAP = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from sealed import server
del sys.path[0]
server.main()
"""


class ServerDied(Exception):
    """The server ended or fell silent in the middle of a job."""


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended: wait status, cause (see the server), CPU seconds, peak resident bytes.

    Also how often it gave up the processor by itself, as programs that wait do, and how often the kernel took
    the processor away for others (counts).
    """

    status: int
    cause: int
    cpu_seconds: float
    peak_bytes: int
    given: int = 0
    taken: int = 0


class Server:
    """A running fork server, its control socket and its report of layers."""

    def __init__(self, policy: Policy) -> None:
        if not sys.platform.startswith("linux"):
            raise SandboxError(
                "platform",
                f"candidates run on Linux only, and this is {sys.platform}",
                "use the Dockerfile of the repository, or WSL2 on Windows; reading and reporting work here",
            )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        errors = os.memfd_create("gapsmith-boot")
        try:
            self._process = self._start(policy, theirs, errors)
            report = self._read_report(errors)
        except BaseException:
            self.close()
            raise
        finally:
            theirs.close()
            os.close(errors)
        self.layers: Mapping[str, Sequence[Any]] = report["layers"]
        self._patience = 0.0

    def _start(self, policy: Policy, control: socket.socket, errors: int) -> subprocess.Popen[bytes]:
        config = {
            "modules": policy.modules,
            "support": policy.support,
            "without": sorted(policy.without),
            "path": module_places(),
        }
        self._control.send(
            json.dumps(config).encode()
        )  # not as an argument: those stay readable in every child
        threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        variables = dict.fromkeys(threads, "1") | {"PYTHONHASHSEED": "0", "LC_ALL": "C"}
        if "LD_LIBRARY_PATH" in os.environ:  # some interpreters do not start without it
            variables["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
        flags = ["-s", "-S", "-B", "-X", "utf8"]
        home = str(Path(__file__).parent)
        return subprocess.Popen(
            python(*flags, "-c", _BOOTSTRAP, home, str(control.fileno())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env=environment(variables),
            cwd=START_FOLDER,
            start_new_session=True,  # a Ctrl-C in the terminal is for the tool
            pass_fds=[control.fileno()],
        )

    def _read_report(self, errors: int) -> dict[str, Any]:
        self._control.settimeout(_BOOT_SECONDS)
        try:
            raw = self._control.recv(65536)
        except TimeoutError:
            raw = b""
        self._control.settimeout(None)
        if not raw:
            tail = os.pread(errors, 4096, 0).decode(errors="replace").strip().rpartition("\n")[2]
            raise SandboxError(
                "platform",
                f"the sandbox server did not start: {tail or 'no message'}",
                "run `gapsmith doctor`",
            )
        report: dict[str, Any] = json.loads(raw)
        if "error" in report:
            hint = "correct `sandbox.modules`" if report["layer"] == "policy" else _hint(report["layer"])
            raise SandboxError(report["layer"], report["error"], hint)
        return report

    @property
    def pid(self) -> int:
        """Number of the server's outermost process."""
        return self._process.pid

    def begin(
        self, kind: int, limits: tuple[float, float, int, int], descriptors: Sequence[int], place: int = -1
    ) -> None:
        """Hands a job over.

        Args:
            kind: of job, from the protocol.
            limits: CPU and wall seconds, memory and output bytes.
            descriptors: job, output, answer, and the child's two ends of a dialogue.
            place: number of the processor that the child is to stay on, -1 for any.

        Raises:
            ServerDied: nobody listens.
        """
        patience = _PERIODS * limits[1] + _GRACE_SECONDS
        if patience != self._patience:
            pause = struct.pack("@ll", int(patience) + 1, 0)
            self._control.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, pause)
            self._patience = patience
        rights = struct.pack(f"{len(descriptors)}i", *descriptors)
        try:
            self._control.sendmsg(
                [REQUEST.pack(kind, *limits, place)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
            )
        except OSError as error:
            raise ServerDied(str(error)) from error

    def stop_job(self) -> None:
        """Asks for the end of the running child; harmless when it has ended already."""
        with contextlib.suppress(OSError):
            self._control.send(b"K")

    def finish(self) -> ChildEnd:
        """Waits for the child's end.

        Raises:
            ServerDied: the server ended or fell silent.
            SandboxError: the child could not seal itself, so it ran nothing.
        """
        try:
            raw = self._control.recv(4096)
        except OSError as error:
            raise ServerDied(str(error)) from error
        if raw.startswith(SEAL_FAILED):
            layer, _, reason = raw[1:].decode(errors="replace").partition(": ")
            raise SandboxError(layer, reason, _hint(layer))
        if len(raw) != VERDICT.size:
            raise ServerDied("the server closed its socket")
        status, cause, user, user_micro, system, system_micro, kilobytes, *switches = VERDICT.unpack(raw)
        cpu = user + system + (user_micro + system_micro) / 1e6
        return ChildEnd(status, cause, cpu, kilobytes * 1024, *switches)

    def close(self) -> None:
        """Ends the server and whatever it started; returns when they are gone."""
        self._control.close()
        process = getattr(self, "_process", None)
        if process is None:
            return
        if process.returncode is None:  # not waited for, so the number is still this group's
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _hint(layer: str) -> str:
    return f"fix it (see docs/explanation/sandbox.md), or accept the risk with `--unsafe-without {layer}`"
