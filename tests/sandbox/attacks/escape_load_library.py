"""Loads a library from disk."""
# ruff: noqa
# expect: refused raised
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    ctypes.CDLL("libutil.so.1")
    return "got through"
