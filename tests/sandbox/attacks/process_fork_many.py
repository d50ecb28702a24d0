"""Forks until it may not; its children sleep."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    for _ in range(20):
        if os.fork() == 0:
            sys.modules["time"].sleep(3)
            os._exit(0)
    return "got through"
