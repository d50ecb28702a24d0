"""Opens a POSIX shared memory object."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    result = libc.shm_open(b"/gapsmith_attack_shm", 0o102, 0o600)
    if result >= 0:
        return "got through"
    raise OSError(ctypes.get_errno(), "the call failed")
