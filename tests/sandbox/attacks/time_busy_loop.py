"""Burns CPU time forever."""
# ruff: noqa
# expect: timeout
# may be off: rlimits


def f(xs):
    while True:
        pass
