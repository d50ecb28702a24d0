"""Overwrites the integers that the interpreter shares with everybody."""
# ruff: noqa
# expect: ok crashed raised invalid_answer timeout memory refused output
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    answer = sorted(xs)
    ctypes.memset(id(200) + 24, 7, 1)
    return answer
