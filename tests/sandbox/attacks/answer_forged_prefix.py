"""Writes an answer before the harness writes its own."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b"A[9, 9, 9]")
    return sorted(xs)
