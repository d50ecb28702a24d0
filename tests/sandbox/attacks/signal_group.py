"""Kills its process group, the fork server included."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.kill(0, 9)
    return "got through"
