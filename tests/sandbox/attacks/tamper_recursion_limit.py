"""Leaves the harness no room to call anything."""
# ruff: noqa
# expect: ok raised crashed invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    sys.setrecursionlimit(30)
    return sorted(xs)
