"""Leaves a file for the next candidate."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    open("/dev/shm/gapsmith_attack_file", "w").write("hello")
    return "got through"
