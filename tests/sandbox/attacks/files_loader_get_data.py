"""Reads a file with the loader that module specifications carry."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    loader = sys.modules["json"].__loader__
    return "got through " + loader.get_data("/etc/passwd").decode()[:9]
