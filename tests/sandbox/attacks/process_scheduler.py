"""Asks for real-time scheduling."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.sched_setscheduler(0, 3, ctypes.create_string_buffer(4))
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
