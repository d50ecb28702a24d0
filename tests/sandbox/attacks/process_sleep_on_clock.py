"""Sleeps on another process's CPU clock, which wakes when that one has worked."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
os = sys.modules["os"]


def f(xs):
    pause = (ctypes.c_long * 2)(0, 1000)
    result = libc.clock_nanosleep((~max(1, os.getpid() - 1) << 3) | 2, 0, pause, None)
    if result == 1:
        raise PermissionError(1, "the call failed")
    return "got through"
