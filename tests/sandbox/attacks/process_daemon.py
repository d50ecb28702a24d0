"""Leaves a daemon that outlives the execution."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    if os.fork() == 0:
        os.setsid()
        sys.modules["time"].sleep(3)
        os._exit(0)
    return "got through"
