"""Reads its standard input as if somebody typed."""
# ruff: noqa
# expect: ok raised
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    sys.stdin.read()
    return sorted(xs)
