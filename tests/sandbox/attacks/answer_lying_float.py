"""Answers with a float that prints as something else."""
# ruff: noqa
# expect: ok invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


class Liar(float):
    def __repr__(self):
        return '"got through"'


def f(xs):
    return [Liar(1)] and sorted(xs)
