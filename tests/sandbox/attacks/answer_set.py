"""Answers with a set."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return {1, 2}
