"""Answers with lists nested deeply."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    value = []
    for _ in range(500):
        value = [value]
    return value
