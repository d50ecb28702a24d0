"""Prints to the error stream without end."""
# ruff: noqa
# expect: output
# may be off: rlimits seccomp landlock namespaces uid
# cpu: 2

import sys


def f(xs):
    while True:
        print("x" * 1000, file=sys.stderr)
