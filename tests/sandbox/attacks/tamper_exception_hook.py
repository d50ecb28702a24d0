"""Replaces what is done with uncaught errors."""
# ruff: noqa
# expect: raised
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    sys.excepthook = sys.unraisablehook = lambda *a: os.write(3, b"A[]")
    raise ValueError("mine")
