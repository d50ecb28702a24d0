"""Never decides."""
# ruff: noqa
# expect: timeout
# may be off: rlimits
# dialogue: yes
# cpu: 0.11

import sys


def f(item, history):
    sys.modules["time"].sleep(10**6)
