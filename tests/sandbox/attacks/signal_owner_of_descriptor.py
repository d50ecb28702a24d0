"""Makes a descriptor send signals to the fork server."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
os = sys.modules["os"]


def f(xs):
    if libc.fcntl(1, 8, os.getppid()) == 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
