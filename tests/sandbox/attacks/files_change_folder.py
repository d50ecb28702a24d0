"""Goes elsewhere, so that relative paths mean something else."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.chdir("/dev")
    return "got through"
