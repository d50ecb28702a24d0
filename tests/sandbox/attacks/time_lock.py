"""Waits forever for a lock."""
# ruff: noqa
# expect: timeout
# may be off: rlimits
# cpu: 0.11

import sys


def f(xs):
    lock = sys.modules["_thread"].allocate_lock()
    lock.acquire()
    lock.acquire()
