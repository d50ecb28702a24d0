"""Writes machine code into memory and runs a 32-bit call with it."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid
# machine: x86_64

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, ctypes.c_size_t(4096), 7, 0x22, -1, ctypes.c_long(0))
    if address == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "no executable memory")
    ctypes.memmove(address, bytes.fromhex("b814000000cd80c3"), 8)  # getpid by int 0x80
    return "got through %d" % ctypes.CFUNCTYPE(ctypes.c_int)(address)()
