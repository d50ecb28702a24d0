"""Leaves a folder for the next candidate."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.mkdir("/dev/shm/gapsmith_attack_folder")
    return "got through"
