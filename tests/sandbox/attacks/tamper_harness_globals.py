"""Replaces the harness's functions where they are kept; it can only change its own answer."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    child = sys.modules["sealed.child"]
    child._reason = child._plain = None
    return sorted(xs)
