"""Replaces the harness's own way out, so that it runs on into the server's code."""
# ruff: noqa
# expect: ok timeout crashed raised
# may be off: rlimits seccomp landlock namespaces uid
# cpu: 0.02

import sys


def f(xs):
    child = sys.modules["sealed.child"]
    child._exit = lambda code: None
    return sorted(xs)
