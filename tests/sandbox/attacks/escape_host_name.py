"""Changes the machine's name."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.syscall(170, b"owned", 5)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
