"""Takes memory that only some limits count."""
# ruff: noqa
# expect: memory
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(300 << 20), 3, 0x21, -1, ctypes.c_long(0))
    if address == ctypes.c_void_p(-1).value:
        raise MemoryError("refused")
    return "got through"
