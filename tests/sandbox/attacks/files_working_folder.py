"""Asks where it is."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    return "got through " + os.getcwd()
