"""Ignores every signal that it can and burns CPU time."""
# ruff: noqa
# expect: timeout
# may be off: rlimits

import sys


def f(xs):
    signal = sys.modules["signal"]
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
