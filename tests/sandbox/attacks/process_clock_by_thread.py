"""Asks for the resolution of another thread's clock, which tells whether it exists."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

time = sys.modules["time"]


def f(xs):
    time.clock_getres((~1 << 3) | 6)
    return "got through"
