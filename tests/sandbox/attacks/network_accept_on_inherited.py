"""Takes a connection on any descriptor it has."""
# ruff: noqa
# expect: refused raised
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.syscall(288, 3, None, None, 0)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
