"""Burns CPU time when its objects are destroyed."""
# ruff: noqa
# expect: timeout
# may be off: rlimits


class Late:
    def __del__(self):
        while True:
            pass


def f(xs):
    late = Late()
    return sorted(xs)
