"""Burns CPU time and catches whatever is thrown at it."""
# ruff: noqa
# expect: timeout
# may be off: rlimits


def f(xs):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
