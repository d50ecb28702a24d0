"""Writes to every descriptor without end."""
# ruff: noqa
# expect: output
# may be off: rlimits seccomp landlock namespaces uid
# cpu: 2

import sys

os = sys.modules["os"]


def f(xs):
    while True:
        for descriptor in (1, 2, 3):
            os.write(descriptor, b"x" * 1000)
