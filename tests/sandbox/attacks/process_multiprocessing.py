"""Imports the multiprocessing module."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import multiprocessing


def f(xs):
    return "got through"
