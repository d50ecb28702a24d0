"""Leaves a link that a careless tool would follow."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.symlink("/etc/passwd", "/dev/shm/gapsmith_attack_link")
    return "got through"
