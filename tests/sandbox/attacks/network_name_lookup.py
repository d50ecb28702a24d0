"""Leaks data by looking up a name."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = ctypes.c_void_p()
    code = libc.getaddrinfo(b"localhost", b"80", None, ctypes.byref(result))
    return "got through" if code == 0 else sorted(xs)
