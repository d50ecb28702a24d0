"""Waits forever on a descriptor."""
# ruff: noqa
# expect: timeout
# may be off: rlimits
# cpu: 0.11

import sys


def f(xs):
    sys.modules["select"].select([], [], [])
