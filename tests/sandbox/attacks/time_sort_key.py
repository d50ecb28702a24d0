"""Burns CPU time inside a sort."""
# ruff: noqa
# expect: timeout memory
# may be off: rlimits


def f(xs):
    return sorted(range(10**9), key=lambda x: -x)
