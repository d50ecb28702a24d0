"""Imports what the policy does not name, although it is in memory."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    import os

    return "got through " + os.name
