"""Changes its group."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.setresgid(0, 0, 0)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
