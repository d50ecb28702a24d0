"""Leaves a mark in the position of a descriptor that somebody else might share."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    for descriptor in range(8):
        try:
            os.lseek(descriptor, 12345, 0) if descriptor != 3 else None
        except OSError:
            pass
    return sorted(xs)
