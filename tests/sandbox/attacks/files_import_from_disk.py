"""Imports a module that was not loaded in advance."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import antigravity


def f(xs):
    return "got through"
