"""Reads the memory of the fork server through its process folder."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    return "got through" if os.open(f"/proc/{os.getppid()}/mem", os.O_RDONLY) else 0
