"""Writes two documents where its answer belongs."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b"A[1] [2]")
    os._exit(0)
