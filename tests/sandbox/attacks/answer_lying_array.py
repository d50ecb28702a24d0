"""Answers with an object that passes for an array."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid


class Liar:
    def tolist(self):
        return "got through"


def f(xs):
    return Liar()
