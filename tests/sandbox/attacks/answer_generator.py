"""Answers with a generator."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return (x for x in xs)
