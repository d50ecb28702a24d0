"""Asks for too much through numpy."""
# ruff: noqa
# expect: memory
# may be off: rlimits seccomp landlock namespaces uid

import numpy as np


def f(xs):
    return "got through %d" % np.ones(40_000_000)[0]
