"""Moves a file."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    try:
        os.rename("/dev/shm/gapsmith_attack_nothing", "/dev/shm/gapsmith_attack_other")
    except FileNotFoundError:
        return "got through: the call was made"
