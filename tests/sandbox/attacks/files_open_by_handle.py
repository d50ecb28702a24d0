"""Makes a handle of a file, to open it without its path."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.syscall(
        303,
        -100,
        b"/etc/passwd",
        ctypes.create_string_buffer(b"\x80" + bytes(200)),
        ctypes.create_string_buffer(8),
        0,
    )
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
