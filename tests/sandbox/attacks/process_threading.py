"""Starts a thread by the usual door."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    sys.modules["threading"].Thread(target=lambda: None).start()
    return "got through"
