"""Prints without end."""
# ruff: noqa
# expect: output
# may be off: rlimits seccomp landlock namespaces uid
# cpu: 2


def f(xs):
    while True:
        print("x" * 1000)
