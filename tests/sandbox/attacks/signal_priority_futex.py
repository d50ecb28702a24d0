"""Takes a lock of the kernel that lends priority: the kind that kernel exploits begin with."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
LOCK_PI = 6


def f(xs):
    word = ctypes.c_uint32(0)
    result = libc.syscall(202, ctypes.byref(word), LOCK_PI, 0, None, None, 0)
    if result == 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
