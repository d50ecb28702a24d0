"""Asks the kernel to merge equal pages with other processes', to learn by timing what they hold."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
MERGEABLE = 12


def f(xs):
    memory = ctypes.create_string_buffer(16384)
    page = (ctypes.addressof(memory) + 4095) & ~4095
    result = libc.madvise(page, 4096, MERGEABLE)
    if result == 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
