"""Processes of the tool's own that compute on what a candidate sent, and that a deadline can end.

A problem's code is trusted, an answer is not: integers that collide make one `set()` of it take minutes, and
no thread can interrupt that. A helper is a fork of the tool, so it holds the problem and its instances. The
tool may have threads, whose locks a fork would copy in whatever state they are: a fork server is therefore
forked early, has one thread, and forks every helper. Nothing is pickled: requests and replies are bytes.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import struct
import sys
import threading
import time
import warnings
import weakref
from array import array
from collections.abc import Callable, Sequence
from functools import partial
from typing import NoReturn

Work = Callable[[bytes, Sequence[int]], bytes]
"""From a request and its descriptors to a reply; raises nothing, for it runs far from whoever could tell."""

_SIZE = struct.Struct("<Q")
_ORDER = struct.Struct("<ci")
_START, _END = b"s", b"e"
_CHUNK = 1 << 15  # larger buffers are mapped anew each time
_TICK = 0.2  # seconds between two looks at a helper's clock
_PAUSE = struct.pack("@ll", 0, int(_TICK * 1e6))


class Late(Exception):
    """A helper was not done by its deadline, and was ended."""


class Gone(Exception):
    """A helper's process ended by itself in the middle of a request."""


class Helper:
    """One process, asked one thing at a time."""

    def __init__(self, channel: socket.socket, pid: int, end: Callable[[int], None]) -> None:
        self.pid = pid
        self._channel = channel
        self._end = end
        self._clock = (~pid << 3) | 2  # CLOCK_PROCESS_CPUTIME_ID of another process
        # A time-out of the kernel's own: Python's would cost a second system call for each reply.
        self._channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _PAUSE)

    def ask(self, request: bytes, cpu: float, wall: float, descriptors: Sequence[int] = ()) -> bytes:
        """The helper's reply; the helper is of no more use after an exception.

        Args:
            request: what the work takes.
            cpu: CPU seconds that the helper may use; it may use up to `_TICK` more.
            wall: seconds until it is ended although it computes nothing.
            descriptors: handed over with the request; the caller keeps its own.

        Raises:
            Late: it took longer.
            Gone: its process ended.
        """
        try:
            _send(self._channel, request, descriptors)
            return _receive(self._channel, patience=self._patience(cpu, wall))[0]
        except (OSError, EOFError) as error:
            self.close()
            raise Gone from error
        except BaseException:  # also Ctrl-C: the reply that is under way must not be read as the next one's
            self.close()
            raise

    def _patience(self, cpu: float, wall: float) -> Callable[[], None]:
        """What is called whenever nothing arrived for a tick, the first time included."""
        began: list[float] = []

        def patience() -> None:
            began.append(time.clock_gettime(self._clock))
            if began[-1] - began[0] > cpu or len(began) * _TICK > wall:
                raise Late

        return patience

    def close(self) -> None:
        """Ends the process and whatever it started."""
        self._channel.close()
        self._end(self.pid)


class Helpers:
    """A fork server and its helpers; safe to share between threads."""

    def __init__(self, work: Work) -> None:
        """Forks the server: the earlier, the fewer threads there are.

        Args:
            work: what a helper does with each request.

        Raises:
            OSError: no process can be made.
        """
        self._lock = threading.Lock()
        self._idle: list[Helper] = []
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # what is not written yet must not be written twice
                stream.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns where there are threads
            pid = os.fork()
        if pid == 0:
            _serve(theirs, work)
        theirs.close()
        self._control = ours
        self._finalize = weakref.finalize(self, _finish, ours, pid)

    def take(self, fresh: bool = False) -> Helper:
        """A helper for the caller alone, until it is given back.

        Args:
            fresh: one that was asked nothing yet.

        Raises:
            OSError: no process can be made.
        """
        with self._lock:
            return self._start() if fresh or not self._idle else self._idle.pop()

    def give_back(self, helper: Helper) -> None:
        """Takes a helper that has replied to every request."""
        with self._lock:
            self._idle.append(helper)

    def close(self) -> None:
        """Ends the server and every helper."""
        self._finalize()

    def _start(self) -> Helper:
        ours, theirs = socket.socketpair()
        with theirs:
            rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [theirs.fileno()]))]
            self._control.sendmsg([_ORDER.pack(_START, 0)], rights)
        reply = self._control.recv(_ORDER.size)
        if len(reply) != _ORDER.size:
            raise OSError("the process that makes helpers has ended")
        pid = _ORDER.unpack(reply)[1]
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        return Helper(ours, pid, partial(_end, self._lock, self._control))


def _end(lock: threading.Lock, control: socket.socket, pid: int) -> None:
    with lock, contextlib.suppress(OSError):
        control.send(_ORDER.pack(_END, pid))
        control.recv(_ORDER.size)


def _finish(control: socket.socket, pid: int) -> None:
    control.close()
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)


def _send(channel: socket.socket, message: bytes, descriptors: Sequence[int] = ()) -> None:
    head = _SIZE.pack(len(message))
    if descriptors:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", descriptors))]
        channel.sendmsg([head], rights)
        channel.sendall(message)
    else:
        channel.sendall(head + message)


def _receive(
    channel: socket.socket, descriptors: int = 0, patience: Callable[[], None] | None = None
) -> tuple[bytes, list[int]]:
    """One message, with at most so many descriptors.

    Raises:
        EOFError: the other side is gone.
    """
    found, room = array("i"), socket.CMSG_SPACE(4 * descriptors) if descriptors else 0
    size = _SIZE.size
    parts: list[bytes] = []
    got = 0
    while got < size:
        try:
            part, rights, _, _ = channel.recvmsg(_CHUNK, room)
        except BlockingIOError:
            if patience is not None:
                patience()
            continue
        if not part:
            raise EOFError
        for _, _, raw in rights:
            found.frombytes(raw[: len(raw) - len(raw) % found.itemsize])
        parts.append(part)
        got += len(part)
        if size == _SIZE.size and got >= size:
            parts = [b"".join(parts)]
            size += _SIZE.unpack_from(parts[0])[0]
    return b"".join(parts)[_SIZE.size :], list(found)


def _serve(control: socket.socket, work: Work) -> NoReturn:
    """The fork server: one thread, no descriptor of the tool's, deaf to the terminal."""
    try:
        os.setsid()
        control = _alone(control)
        gc.freeze()
        helpers: set[int] = set()
        while True:
            data, rights, _, _ = control.recvmsg(_ORDER.size, socket.CMSG_SPACE(4))
            if not data:  # the tool is gone
                for pid in helpers:
                    _kill(pid)
                os._exit(0)
            order, pid = _ORDER.unpack(data)
            if order == _START:
                pid = _fork(control, rights[0][2], work)
                helpers.add(pid)
            elif pid in helpers:  # not waited for until now, so the number is still this process's
                helpers.remove(pid)
                _kill(pid)
            control.send(_ORDER.pack(order, pid))
    finally:
        os._exit(70)


def _alone(control: socket.socket) -> socket.socket:
    """Leaves the tool's descriptors, streams and signal handlers behind."""
    keep = 3
    if control.fileno() != keep:
        os.dup2(control.fileno(), keep, inheritable=False)
        control.detach()
        control = socket.socket(fileno=keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
    with contextlib.suppress(ValueError):
        signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    # What a problem prints goes where the tool prints; the tool's own streams may be locked by a thread.
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where an answer exhausts the memory, its helper ends and not the tool
    return control


def _fork(control: socket.socket, raw: bytes, work: Work) -> int:
    """Forks one helper; returns its process number, or the negated error number."""
    channel = socket.socket(fileno=array("i", raw)[0])
    try:
        pid = os.fork()
    except OSError as error:
        channel.close()
        return -(error.errno or 1)
    if pid:
        channel.close()
        return pid
    try:
        os.setpgid(0, 0)
        control.close()
        while True:
            request, descriptors = _receive(channel, 4)
            reply = work(request, descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            _send(channel, reply)
    finally:  # also where the tool is gone
        os._exit(0)


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)  # it may have had no group of its own yet
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)
