"""Recurses in Python without end."""
# ruff: noqa
# expect: memory crashed raised timeout
# may be off: none

import sys


def f(xs):
    sys.setrecursionlimit(10**9)

    def down(n):
        return down(n + 1)

    return down(0)
