"""Sends signal 19 to the fork server."""
# ruff: noqa
# expect: refused
# may be off: rlimits landlock uid

import sys

os = sys.modules["os"]


def f(xs):
    os.kill(os.getppid(), 19)
    return "got through"
