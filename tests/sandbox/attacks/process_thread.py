"""Starts a thread by the lowest door."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    sys.modules["_thread"].start_new_thread(lambda: None, ())
    return "got through"
