"""Reads the fork server's memory."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
os = sys.modules["os"]


def f(xs):
    result = libc.syscall(
        310, os.getppid(), ctypes.create_string_buffer(16), 1, ctypes.create_string_buffer(16), 1, 0
    )
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
