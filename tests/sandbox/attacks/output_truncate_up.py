"""Makes its answer file huge without writing."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.ftruncate(3, 1 << 30)
    return "got through"
