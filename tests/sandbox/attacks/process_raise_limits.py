"""Raises its own limits."""
# ruff: noqa
# expect: refused
# may be off: seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.setrlimit(9, ctypes.create_string_buffer(b"\xff" * 16))
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
