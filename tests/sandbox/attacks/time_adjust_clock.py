"""Adjusts the machine's clock."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.adjtimex(ctypes.create_string_buffer(b"\x01" + bytes(300)))
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
