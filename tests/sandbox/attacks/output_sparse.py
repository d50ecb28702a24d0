"""Writes far behind the end of its answer."""
# ruff: noqa
# expect: output
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.lseek(3, 1 << 40, os.SEEK_SET)
    os.write(3, b"A[]")
    return sorted(xs)
