"""Reads a file that every process may read."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    return "got through " + open("/etc/passwd").read()[:20]
