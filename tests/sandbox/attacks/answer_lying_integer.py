"""Answers with an integer that says it equals everything."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid


class Liar(int):
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __repr__(self):
        return "got through"

    __str__ = __repr__


def f(xs):
    return [Liar(x) for x in sorted(xs)]
