"""Starves the fork server by its limits."""
# ruff: noqa
# expect: refused
# may be off: landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
os = sys.modules["os"]


def f(xs):
    result = libc.prlimit(os.getppid(), 7, ctypes.create_string_buffer(16), None)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
