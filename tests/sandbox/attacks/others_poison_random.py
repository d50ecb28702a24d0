"""Breaks the random numbers of whoever comes next."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import random


def f(xs):
    random.seed = random.Random.seed = random.random = lambda *a, **k: 4
    return sorted(xs)
