"""Writes a file through numpy."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import numpy as np


def f(xs):
    np.save("/dev/shm/gapsmith_attack_numpy", np.zeros(3))
    return "got through"
