"""Traces every line of the harness."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    sys.settrace(lambda *a: None)
    sys.setprofile(lambda *a: None)
    return sorted(xs)
