"""Opens a file by the newest call."""
# ruff: noqa
# expect: refused raised
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.syscall(437, -100, b"/etc/passwd", ctypes.create_string_buffer(24), 24)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
