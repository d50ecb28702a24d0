"""Asks for the next item before it has decided about this one."""
# ruff: noqa
# expect: timeout
# may be off: rlimits
# dialogue: yes
# cpu: 0.11

import sys


def f(item, history):
    frame = sys._getframe(1)
    line = frame.f_locals["receive"]()
    return "got through" if line else item
