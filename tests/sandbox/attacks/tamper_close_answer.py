"""Closes the place of its answer."""
# ruff: noqa
# expect: crashed
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.close(3)
    return sorted(xs)
