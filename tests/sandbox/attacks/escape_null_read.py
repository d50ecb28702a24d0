"""Reads address zero."""
# ruff: noqa
# expect: crashed
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    return "got through %r" % ctypes.string_at(0)
