"""Looks for keys in what the interpreter remembers of the environment."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    return "got through" if dict(os.environ) else sorted(xs)
