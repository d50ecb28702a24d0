"""Burns CPU time when its error is printed."""
# ruff: noqa
# expect: timeout
# may be off: rlimits


class Slow(Exception):
    def __str__(self):
        while True:
            pass


def f(xs):
    raise Slow
