"""Reads how the interpreter was started: folders of the user, and what the sandbox was told."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    told = [*sys.argv, *sys.orig_argv]
    return "got through" if any(told) else sorted(xs)
