"""Reads the CPU clocks of whatever processes there are, to see how other candidates fare."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

time = sys.modules["time"]


def f(xs):
    found = {}
    for pid in [1, *range(2, 400)]:
        try:
            found[pid] = time.clock_gettime((~pid << 3) | 2)
        except PermissionError:
            raise
        except OSError:
            continue
    return "got through"
