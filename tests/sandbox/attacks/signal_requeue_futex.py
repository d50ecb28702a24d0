"""Moves waiters from one lock to another that lends priority."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
CMP_REQUEUE_PI = 12


def f(xs):
    words = (ctypes.c_uint32 * 2)(0, 0)
    second = ctypes.addressof(words) + 4
    result = libc.syscall(202, words, CMP_REQUEUE_PI, 1, ctypes.c_void_p(0), ctypes.c_void_p(second), 0)
    if result >= 0 or ctypes.get_errno() != 1:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
