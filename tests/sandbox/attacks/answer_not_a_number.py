"""Answers with not a number."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return float("nan")
