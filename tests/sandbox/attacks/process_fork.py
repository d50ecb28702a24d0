"""Forks."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    if os.fork() == 0:
        os._exit(0)
    return "got through"
