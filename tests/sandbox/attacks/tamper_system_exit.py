"""Asks the interpreter to end with success."""
# ruff: noqa
# expect: raised
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    raise SystemExit(0)
