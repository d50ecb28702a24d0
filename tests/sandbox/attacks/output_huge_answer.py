"""Answers more than it may."""
# ruff: noqa
# expect: output
# may be off: rlimits
# cpu: 2


def f(xs):
    return list(range(10**5))
