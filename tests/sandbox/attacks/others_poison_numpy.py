"""Makes numpy lie to whoever comes next."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import numpy as np


def f(xs):
    np.sort = np.argsort = np.array = lambda *a, **k: [0]
    return sorted(xs)
