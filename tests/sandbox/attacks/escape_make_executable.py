"""Makes its memory executable after writing it."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    buffer = ctypes.create_string_buffer(8192)
    page = (ctypes.addressof(buffer) + 4095) & ~4095
    if libc.mprotect(ctypes.c_void_p(page), ctypes.c_size_t(4096), 7) == 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "no executable memory")
