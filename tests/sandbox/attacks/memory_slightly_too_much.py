"""Asks for a little more than it may have."""
# ruff: noqa
# expect: memory
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return "got through %d" % len(bytearray(300 << 20))
