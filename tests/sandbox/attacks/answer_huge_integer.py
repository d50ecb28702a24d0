"""Answers with an integer of 5,000 digits."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return 10**5000
