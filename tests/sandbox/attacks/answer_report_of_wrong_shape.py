"""Writes a report that is no pair of texts."""
# ruff: noqa
# expect: crashed
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b'E{"a": 1}')
    os._exit(0)
