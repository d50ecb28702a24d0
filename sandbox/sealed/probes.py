"""Attacks of the self-test, run in a real sealed child; each returns True when it got through."""

from __future__ import annotations

import _thread
import ctypes
import os
from collections.abc import Callable

_libc = ctypes.CDLL(None, use_errno=True)
_libc.malloc.argtypes, _libc.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p


def _open_file() -> bool:
    return bool(_libc.open(b"/", 0) >= 0)


def _open_socket() -> bool:
    return any(_libc.socket(family, 1, 0) >= 0 for family in (1, 2, 10))


def _fork() -> bool:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return True


def _thread_start() -> bool:
    _thread.start_new_thread(lambda: None, ())
    return True


def _execute() -> bool:
    # A path that cannot exist: any answer but the end of the process means that the call was open.
    return bool(_libc.execve(b"/\x01", None, None) != 0)


def _signal() -> bool:
    return bool(_libc.kill(os.getppid(), 0) == 0)


def _memory() -> bool:
    return _libc.malloc(256 * 1024 * 1024) is not None  # taken, not touched: touching takes time


def _processor() -> bool:
    count = 0
    while count < 200_000_000:
        count += 1
    return True


PROBES: dict[str, Callable[[], bool]] = {
    "open a file": _open_file,
    "open a socket": _open_socket,
    "fork": _fork,
    "start a thread": _thread_start,
    "run a program": _execute,
    "signal the parent": _signal,
    "exceed the memory": _memory,
    "exceed the CPU time": _processor,
}


def run(name: str) -> bool:
    """Runs one attack by name; an exception means that it was stopped."""
    return PROBES[name]()
