"""Sleeps forever."""
# ruff: noqa
# expect: timeout
# may be off: rlimits
# cpu: 0.11

import sys


def f(xs):
    sys.modules["time"].sleep(10**6)
