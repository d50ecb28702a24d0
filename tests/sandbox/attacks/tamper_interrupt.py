"""Pretends that a person pressed Ctrl-C."""
# ruff: noqa
# expect: raised
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    raise KeyboardInterrupt
