"""Compares kernel objects with the fork server's."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
os = sys.modules["os"]


def f(xs):
    result = libc.syscall(312, os.getpid(), os.getppid(), 1, 0, 0)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
