"""The fork server of one slot: warm, single-threaded, and blind to what passes through it.

It forwards descriptors from the tool to one forked child at a time, kills the child at its limits and reports
how it ended. No byte of a program, an instance or an answer is ever read here, so none can be left in memory
that a later child inherits. It is started by path, without the rest of Gapsmith:
`python -s -S -P -B -X utf8 -c "…; server.main()" FOLDER DESCRIPTOR`; what it is to do comes by the socket.
Not `-I`: that would ignore PYTHONHASHSEED too.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from array import array
from typing import Any, NoReturn

from . import isolation
from .access_log import MARKS
from .child import Child
from .protocol import (
    COMPUTING,
    ENDED,
    MAX_CONFIG,
    ON_REQUEST,
    OUT_OF_CPU,
    OUT_OF_TIME,
    REQUEST,
    SEAL_FAILED,
    VERDICT,
)
from .seal import Seal

CONTROL = 9  # above every descriptor that a child keeps

# Imported by the interpreter or by allowed modules while a candidate runs, when files are out of reach.
_SUPPORT = (
    "encodings.ascii", "encodings.latin_1", "encodings.utf_16", "encodings.idna", "unicodedata", "stringprep",
    "linecache", "traceback", "warnings", "inspect", "ast", "tokenize", "ctypes", "_strptime", "locale",
    "importlib.machinery", "weakref", "threading", "contextvars",
)  # fmt: skip


def main() -> NoReturn:
    """Boots, reports how, and serves jobs until the tool closes the control socket."""
    given = int(sys.argv[1])
    if given != CONTROL:  # dup2 of a descriptor onto itself is an error when it loses inheritance
        os.dup2(given, CONTROL, inheritable=False)
    os.closerange(3, CONTROL)
    os.closerange(CONTROL + 1, os.sysconf("SC_OPEN_MAX"))  # the socket's first number is among these
    control = socket.socket(fileno=CONTROL)
    config = json.loads(control.recv(MAX_CONFIG))
    without = frozenset(config["without"])
    try:
        layers, base = _boot(config, without)
        child = Child(config["modules"])
        seal = Seal(without, base)
    except Exception as error:
        _farewell(control, error)
    control.send(json.dumps({"layers": layers, "base_bytes": base}).encode())
    os.dup2(0, 2)  # what went wrong until here was for the tool to read; from now on nothing is
    gc.collect()
    gc.freeze()
    gc.disable()
    _serve(control, child, seal, Reaper())


def _farewell(control: socket.socket, error: Exception) -> NoReturn:
    layer = getattr(error, "layer", "platform")
    control.send(json.dumps({"error": f"{type(error).__name__}: {error}", "layer": layer}).encode())
    os._exit(1)


class BootError(Exception):
    """The server cannot start; `layer` names what is at fault."""

    def __init__(self, layer: str, reason: str) -> None:
        super().__init__(reason)
        self.layer = layer


def _boot(config: dict[str, Any], without: frozenset[str]) -> tuple[dict[str, tuple[bool, str]], int]:
    """Puts on the server's own layers; returns each layer's state, and the address space in bytes."""
    off = (False, "switched off by --unsafe-without")
    layers = dict.fromkeys(("rlimits", "seccomp", "landlock", "namespaces", "uid"), off)
    if "namespaces" not in without:
        try:
            layers["namespaces"] = isolation.enter_namespaces()
        except OSError as error:
            raise BootError("namespaces", f"entered halfway: {error}") from error
        if layers["namespaces"][0]:
            isolation.stay_outside()
    isolation.volunteer()
    _preload([*config["support"], *config["modules"]], config["path"])
    if "uid" not in without:
        try:
            layers["uid"] = isolation.drop_ids()
        except OSError as error:
            raise BootError("uid", f"could not give up root: {error}") from error
    if layers["namespaces"][
        0
    ]:  # only now, for a change of ids clears it; the outer process ends with the tool
        isolation.prctl(isolation.PR_SET_PDEATHSIG, isolation.SIGKILL)
    try:
        base = isolation.check_process({0, 1, 2, CONTROL})
    except RuntimeError as error:
        raise BootError("policy", str(error)) from error
    isolation.prctl(isolation.PR_SET_NO_NEW_PRIVS, 1)
    if "rlimits" not in without:
        isolation.fixed_limits()
        layers["rlimits"] = (True, "address space, CPU, file size, descriptors, processes, core, stack")
    if "seccomp" not in without:
        layers["seccomp"] = (True, f"allow-list for {isolation.machine()}, loaded by every child")
    if "landlock" not in without:
        layers["landlock"] = isolation.landlock()
    return layers, base


def _preload(modules: list[str], path: list[str]) -> None:
    """Imports all that a candidate may import, then closes the door: nothing is imported from files again."""
    sys.path.extend(place for place in path if place not in sys.path)
    for name in (*_SUPPORT, *modules):
        try:
            importlib.import_module(name)
        except ImportError as error:
            if name in modules:
                raise BootError("policy", f"cannot import {name!r}: {error}") from error
    sys.path.clear()
    sys.path_importer_cache.clear()
    os.environ.clear()
    os.chdir("/")
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it; a flood must end at once
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    sys.argv[:] = [""]
    sys.orig_argv[:] = [""]


class Reaper:
    """Waits for children and passes on how they ended without making a Python object of it.

    What an object held stays in freed memory, where a later child would find how long another one ran.
    """

    _CAUSE, _USAGE, _SIZE = 8, 16, 256  # `struct rusage` has 144 bytes

    def __init__(self) -> None:
        self._buffer = ctypes.create_string_buffer(self._SIZE)
        self._place = ctypes.addressof(self._buffer)
        self._report = memoryview(self._buffer)[: VERDICT.size]
        self._wait = ctypes.CDLL(None).wait4
        self._wait.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]

    def reap(self, pid: int, cause: int, control: socket.socket) -> None:
        """Waits for a child's end and sends the verdict on it."""
        if self._wait(pid, self._place, 0, self._place + self._USAGE) != pid:
            os._exit(1)  # an empty report would read as an orderly end
        self._buffer[self._CAUSE] = bytes([cause])  # one of the bytes that always exist
        control.send(self._report)
        ctypes.memset(self._place, 0, self._SIZE)
        _forget_floats()


def _forget_floats() -> None:
    """Overwrites the freed floats that the interpreter keeps for new ones (at most 100): clocks were read."""
    [float(number) for number in range(128)]


def _serve(control: socket.socket, child: Child, seal: Seal, reaper: Reaper) -> NoReturn:
    poller = select.poll()
    poller.register(CONTROL, select.POLLIN)
    room = socket.CMSG_SPACE(6 * 4)
    server = os.getpid()
    while True:
        _turn(control, child, seal, reaper, poller, room, server)


def _turn(
    control: socket.socket,
    child: Child,
    seal: Seal,
    reaper: Reaper,
    poller: select.poll,
    room: int,
    server: int,
) -> None:
    """One job. A frame of its own: how a child ended is gone before the next child inherits the frames."""
    data, ancillary, _, _ = control.recvmsg(256, room)
    if not data:
        os._exit(0)
    if len(data) != REQUEST.size:  # a request to stop that came after the child had ended
        return
    descriptors = array("i")
    for _, _, raw in ancillary:
        descriptors.frombytes(raw[: len(raw) - len(raw) % 4])
    kind, cpu, wall, memory, output, place = REQUEST.unpack(data)
    pid = os.fork()
    if pid == 0:
        _become_child(server, list(descriptors), seal, (cpu, memory, output), place)
        child.main(kind)
    for descriptor in descriptors:
        os.close(descriptor)
    reaper.reap(pid, _watch(pid, poller, control, cpu, wall), control)


def _become_child(
    server: int, descriptors: list[int], seal: Seal, limits: tuple[float, int, int], place: int
) -> None:
    """Descriptors 0 job, 1 and 2 output, 3 answer, 4 and 5 the dialogue's pipes, 6 marks; then the seal."""
    try:
        isolation.prctl(isolation.PR_SET_PDEATHSIG, isolation.SIGKILL)
        if os.getppid() != server:
            os._exit(1)
        job, output, answer, marks, *pipes = descriptors  # 3, 4, …: none below the place it goes to
        for source, target in (
            (job, 0),
            (output, 1),
            (output, 2),
            (answer, 3),
            (marks, MARKS),
            *zip(pipes, (4, 5), strict=False),
        ):
            os.dup2(source, target, inheritable=True)
        os.closerange(4 + len(pipes), MARKS)
        os.closerange(MARKS + 1, CONTROL)
        if place >= 0:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(0, {place})
        seal.apply(*limits)
    except BaseException as error:
        os.write(CONTROL, SEAL_FAILED + str(error).encode(errors="replace"))
        os._exit(1)
    os.close(CONTROL)  # last: until here no candidate has run, so what came through it can be believed


def _watch(pid: int, poller: select.poll, control: socket.socket, cpu: float, wall: float) -> int:
    """Waits for the child's end and kills it at its limits; returns the cause.

    A child that computes when the wall limit is over gets as much time again: the machine is busy.
    """
    clock = (~pid << 3) | 2  # CLOCK_PROCESS_CPUTIME_ID of another process
    deadline = time.monotonic() + wall
    ending = os.pidfd_open(pid)
    poller.register(ending, select.POLLIN)
    cause, left, until, before = ENDED, cpu, wall, 0.0
    try:
        while True:
            # One thread cannot use CPU time faster than the wall clock runs, so this never wakes too late.
            events = poller.poll(max(1.0, min(left, until) * 1000))
            if any(place == ending for place, _ in events):
                break
            if events:
                if not control.recv(16):  # the tool is gone
                    os.kill(pid, signal.SIGKILL)
                    os._exit(0)
                cause = ON_REQUEST
                break
            used = time.clock_gettime(clock)
            left, until = cpu - used, deadline - time.monotonic()
            if left > 0 >= until and used - before >= COMPUTING * wall:
                before, deadline, until = used, deadline + wall, wall
            if left <= 0 or until <= 0:
                cause = OUT_OF_CPU if left <= 0 else OUT_OF_TIME
                break
    except OSError:  # its clock is gone, so it has ended by itself
        cause = ENDED
    finally:
        poller.unregister(ending)
        os.close(ending)
    if cause != ENDED:
        os.kill(pid, signal.SIGKILL)
    return cause
