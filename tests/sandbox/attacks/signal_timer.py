"""Sets an alarm."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    libc.alarm.restype = ctypes.c_int
    if libc.alarm(1) >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
