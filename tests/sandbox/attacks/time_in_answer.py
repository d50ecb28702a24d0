"""Burns CPU time when its answer is read."""
# ruff: noqa
# expect: timeout
# may be off: rlimits


class Slow(dict):
    def items(self):
        while True:
            pass


def f(xs):
    return Slow(a=1)
