"""Leaves a false module for whoever comes next."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import math
import sys


def f(xs):
    sys.modules["math"] = sys.modules["heapq"] = None
    math.sqrt = lambda x: 0
    return sorted(xs)
