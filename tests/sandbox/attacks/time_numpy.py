"""Burns CPU time inside numpy."""
# ruff: noqa
# expect: timeout
# may be off: rlimits

import numpy as np


def f(xs):
    a = np.ones((600, 600))
    while True:
        a = a @ a * 1e-9
