"""Chooses its processor."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.sched_setaffinity(0, 8, ctypes.create_string_buffer(b"\x01" + bytes(7)))
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
