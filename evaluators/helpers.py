"""Helper processes that run a problem's code on a candidate's answer under a deadline.

A problem's code is trusted, an answer is not: integers with colliding hashes make one `set()` take minutes,
and no thread can interrupt that call. A helper is a fork of Gapsmith's process, so it holds the problem and
its instances. That process may have threads, and a fork would copy their locks in any state; therefore a
fork server with one thread is forked early and forks every helper. Nothing is pickled: requests and replies
are bytes.
"""

from __future__ import annotations

import contextlib
import ctypes
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
"""Turns a request and its descriptors into a reply; must not raise, since a raise ends the helper unseen."""

_SIZE = struct.Struct("<Q")
_ORDER = struct.Struct("<ci")
_START = b"s"
_END = b"e"
_CHUNK = 1 << 15  # bytes; the system maps memory anew for each larger buffer
_TICK = 0.2  # seconds between two checks of a helper's clock
_PAUSE = struct.pack("@ll", 0, int(_TICK * 1e6))
_processor: Callable[[], int] = ctypes.CDLL(None).sched_getcpu


class Late(Exception):
    """A helper missed its deadline and was ended."""


class Gone(Exception):
    """A helper's process ended by itself during a request."""


class Helper:
    """One helper process, which handles one request at a time."""

    def __init__(self, channel: socket.socket, pid: int, end: Callable[[int], None]) -> None:
        self.pid = pid
        self._channel = channel
        self._end = end
        self._clock = (~pid << 3) | 2  # CLOCK_PROCESS_CPUTIME_ID of another process
        self._anywhere = os.sched_getaffinity(0)
        self._place: int | None = None
        # The kernel's time-out, because Python's would cost a second system call for each reply.
        self._channel.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _PAUSE)

    def ask(self, request: bytes, cpu: float, wall: float, descriptors: Sequence[int] = ()) -> bytes:
        """The helper's reply to a request; after an exception the helper cannot be used again.

        Args:
            request: bytes for the helper's work function.
            cpu: CPU seconds that the helper may use; the check comes up to `_TICK` seconds late.
            wall: wall seconds after which the helper is ended, even if it uses no CPU time.
            descriptors: descriptors to send with the request; the caller's own stay open.

        Raises:
            Late: the helper missed its deadline.
            Gone: the helper's process ended.
        """
        self._bind(None if descriptors else _processor())  # a dialogue binds itself beside its child
        try:
            _send(self._channel, request, descriptors)
            return _receive(self._channel, patience=self._patience(cpu, wall))[0]
        except (OSError, EOFError) as error:
            self.close()
            raise Gone from error
        except BaseException:  # also Ctrl-C: a later request must not read the reply to this one
            self.close()
            raise

    def _bind(self, place: int | None) -> None:
        """Binds the process to one processor, or to none in particular.

        The caller sleeps until the reply comes, so its own processor is free, and holds the answer in its
        caches; to wake a process on another processor costs more than most verdicts.
        """
        if place != self._place:
            self._place = place
            with contextlib.suppress(OSError):  # where that is not allowed, a reply only comes later
                os.sched_setaffinity(self.pid, self._anywhere if place is None else {place})

    def _patience(self, cpu: float, wall: float) -> Callable[[], None]:
        """Returns a function to call after each tick without data; it raises `Late` at the deadline."""
        began: list[float] = []

        def patience() -> None:
            if self._place is not None:  # so long a reply may use whatever processor is idle
                self._bind(None)
            began.append(time.clock_gettime(self._clock))
            if began[-1] - began[0] > cpu or len(began) * _TICK > wall:
                raise Late

        return patience

    def close(self) -> None:
        """Ends the process and its children."""
        self._channel.close()
        self._end(self.pid)


class Helpers:
    """A fork server and its helpers; threads may share it."""

    def __init__(self, work: Work) -> None:
        """Forks the fork server; call it early, while there are few threads.

        Args:
            work: function that a helper applies to each request.

        Raises:
            OSError: the system cannot create a process.
        """
        self._lock = threading.Lock()
        self._idle: list[Helper] = []
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # otherwise both processes would write buffered text
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
            OSError: the system cannot create a process.
        """
        with self._lock:
            return self._start() if fresh or not self._idle else self._idle.pop()

    def give_back(self, helper: Helper) -> None:
        """Returns a helper to the idle ones; the helper must have replied to every request."""
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
    """Receives one message with at most `descriptors` descriptors; calls `patience` on each time-out.

    Raises:
        EOFError: the other side has closed the channel.
    """
    found = array("i")
    room = socket.CMSG_SPACE(4 * descriptors) if descriptors else 0
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
    """Runs the fork server: one thread, none of Gapsmith's descriptors, no signals from the terminal."""
    try:
        os.setsid()
        control = _alone(control)
        gc.freeze()
        helpers: set[int] = set()
        while True:
            data, rights, _, _ = control.recvmsg(_ORDER.size, socket.CMSG_SPACE(4))
            if not data:  # Gapsmith's process has ended
                for pid in helpers:
                    _kill(pid)
                os._exit(0)
            order, pid = _ORDER.unpack(data)
            if order == _START:
                pid = _fork(control, rights[0][2], work)
                helpers.add(pid)
            elif pid in helpers:  # never waited for, so the number cannot belong to another process
                helpers.remove(pid)
                _kill(pid)
            control.send(_ORDER.pack(order, pid))
    finally:
        os._exit(70)


def _alone(control: socket.socket) -> socket.socket:
    """Closes Gapsmith's descriptors and replaces its streams and signal handlers."""
    keep = 3
    if control.fileno() != keep:
        os.dup2(control.fileno(), keep, inheritable=False)
        control.detach()
        control = socket.socket(fileno=keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a problem's code that reads does not take the input of a person
    os.close(nothing)
    with contextlib.suppress(ValueError):
        signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    # New streams on the same output, because a thread of Gapsmith's may hold the locks of the old ones.
    sys.stdout = open(1, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if memory runs out, the system ends a helper first
    return control


def _fork(control: socket.socket, raw: bytes, work: Work) -> int:
    """Forks one helper and returns its process id, or a negated error number."""
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
    finally:  # also after the end of Gapsmith's process
        os._exit(0)


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)  # the process may not have its own group yet
    with contextlib.suppress(OSError):
        os.waitpid(pid, 0)
