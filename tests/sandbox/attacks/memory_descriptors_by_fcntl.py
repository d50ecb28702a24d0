"""Takes every descriptor there is, by another call."""
# ruff: noqa
# expect: raised
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    for _ in range(30):
        if libc.fcntl(1, 0, 0) < 0:
            raise OSError(ctypes.get_errno(), "the call failed")
    return "got through"
