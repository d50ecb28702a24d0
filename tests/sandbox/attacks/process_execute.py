"""Becomes another program."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.execv("/bin/echo", ["echo", "got through"])
