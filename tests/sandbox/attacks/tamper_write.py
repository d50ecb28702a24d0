"""Replaces the functions that write."""
# ruff: noqa
# expect: ok crashed
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write = lambda *a: 10**6
    sys.modules["posix"].write = os.write
    return sorted(xs)
