"""Looks for the mark in the position of its job."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    return "got through" if os.lseek(0, 0, 1) == 12345 else sorted(xs)
