"""Runs a shell command."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    return "got through" if os.system("true") == 0 else sorted(xs)
