"""Reads how much CPU time the process before it, or the first one, has used."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]
time = sys.modules["time"]


def f(xs):
    used = time.clock_gettime((~max(1, os.getpid() - 1) << 3) | 2)
    return "got through" if used >= 0 else sorted(xs)
