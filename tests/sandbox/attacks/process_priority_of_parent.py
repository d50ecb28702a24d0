"""Slows the fork server down."""
# ruff: noqa
# expect: refused
# may be off: landlock namespaces uid rlimits seccomp

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
os = sys.modules["os"]


def f(xs):
    result = libc.setpriority(0, os.getppid(), 19)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
