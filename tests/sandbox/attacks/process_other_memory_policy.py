"""Moves another process's pages about and learns from it where they are."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    memory = ctypes.create_string_buffer(16384)
    page = (ctypes.addressof(memory) + 4095) & ~4095
    result = libc.syscall(
        279, 0, ctypes.c_ulong(1), (ctypes.c_void_p * 1)(page), None, (ctypes.c_int * 1)(), 0
    )
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
