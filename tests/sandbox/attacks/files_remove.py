"""Removes a file."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    try:
        os.unlink("/dev/shm/gapsmith_attack_nothing")
    except FileNotFoundError:
        return "got through: the call was made"
