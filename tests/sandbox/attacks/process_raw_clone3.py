"""Clones itself by the newest call."""
# ruff: noqa
# expect: refused raised
# may be off: landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.syscall(435, ctypes.create_string_buffer(64), 64)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
