"""Burns CPU time in one step that no Python signal handler can interrupt."""
# ruff: noqa
# expect: timeout memory
# may be off: rlimits


def f(xs):
    return "got through %d" % pow(7, 10**8).bit_length()
