"""Reads a file through numpy, below Python's own open."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import numpy as np


def f(xs):
    return "got through %d" % np.fromfile("/etc/passwd", dtype=np.uint8)[0]
