"""Asks to be traced."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.ptrace(0, 0, None, None)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
