"""Asks for the size of a file."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    return f"got through {os.stat('/etc/passwd').st_size}"
