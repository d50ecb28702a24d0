"""Answers with a list that contains itself."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    value = []
    value.append(value)
    return value
