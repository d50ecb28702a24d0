"""Builds an integer of a gigabyte."""
# ruff: noqa
# expect: memory timeout
# may be off: seccomp landlock namespaces uid


def f(xs):
    return "got through %d" % (1 << (1 << 33)).bit_length()
