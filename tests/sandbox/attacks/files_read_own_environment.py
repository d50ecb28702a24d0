"""Looks for keys in the environment that the kernel keeps."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return "got through " + open("/proc/self/environ").read()
