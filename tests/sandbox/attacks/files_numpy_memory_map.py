"""Maps a file through numpy."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import numpy as np


def f(xs):
    return "got through %d" % np.memmap("/etc/passwd", dtype=np.uint8, mode="r")[0]
