"""Asks which pages of a file other processes have used lately."""
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
    result = libc.syscall(27, ctypes.c_void_p(page), ctypes.c_size_t(4096), ctypes.create_string_buffer(16))
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
