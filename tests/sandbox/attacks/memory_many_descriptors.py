"""Takes every descriptor there is."""
# ruff: noqa
# expect: refused raised
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    for _ in range(30):
        os.dup(1)
    return "got through"
