"""Sends signal 9 to the fork server."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.kill(os.getppid(), 9)
    return "got through"
