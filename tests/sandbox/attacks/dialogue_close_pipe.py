"""Closes its end of the pipe and computes on."""
# ruff: noqa
# expect: timeout
# may be off: rlimits
# dialogue: yes

import sys

os = sys.modules["os"]


def f(item, history):
    os.close(5)
    while True:
        pass
