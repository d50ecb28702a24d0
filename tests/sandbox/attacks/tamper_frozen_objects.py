"""Thaws and breaks the objects that the server froze."""
# ruff: noqa
# expect: ok crashed raised
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    gc = sys.modules["gc"]
    gc.unfreeze()
    gc.collect()
    return sorted(xs)
