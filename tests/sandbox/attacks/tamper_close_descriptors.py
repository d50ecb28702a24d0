"""Closes every descriptor."""
# ruff: noqa
# expect: ok crashed raised
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.closerange(0, 3)
    return sorted(xs)
