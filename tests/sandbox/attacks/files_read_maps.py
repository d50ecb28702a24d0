"""Learns the address layout from the process folder."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return "got through " + open("/proc/self/maps").read(10)
