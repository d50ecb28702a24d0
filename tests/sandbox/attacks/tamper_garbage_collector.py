"""Looks through all objects for references, scores and other instances."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    for value in sys.modules["gc"].get_objects():
        if type(value) is dict and ("reference" in value or "optimum" in value):
            return "got through"
    return sorted(xs)
