"""Asks which processors another process may use."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.sched_getaffinity(max(1, os.getpid() - 1))
    return "got through"
