"""Sets capabilities."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.capset(
        ctypes.create_string_buffer(b"\x22\x05\x08\x20" + bytes(4)), ctypes.create_string_buffer(24)
    )
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
