"""Sets the machine's clock."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces

import sys


def f(xs):
    sys.modules["time"].clock_settime(0, 1.0)
    return "got through"
