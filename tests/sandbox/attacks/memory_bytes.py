"""Asks for a gigabyte at once."""
# ruff: noqa
# expect: memory
# may be off: seccomp landlock namespaces uid


def f(xs):
    return "got through %d" % len(bytearray(1 << 30))
