"""Reads the session's keys."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.syscall(250, 0, -3, 1)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
