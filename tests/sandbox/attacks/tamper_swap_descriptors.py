"""Turns its answer's descriptor into another one."""
# ruff: noqa
# expect: crashed refused ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.dup2(1, 3)
    return sorted(xs)
