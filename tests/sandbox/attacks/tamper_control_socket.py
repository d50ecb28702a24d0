"""Writes a forged verdict to every descriptor that might be the server's."""
# ruff: noqa
# expect: invalid_answer crashed
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    forged = sys.modules["sealed.protocol"].VERDICT.pack(*[0] * 9)
    for descriptor in range(3, 1024):
        try:
            os.write(descriptor, forged)
        except OSError:
            pass
    return sorted(xs)
