"""Tells files that exist from files that do not by the error number."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

ctypes = sys.modules["ctypes"]
libc = ctypes.CDLL(None, use_errno=True)


def f(xs):
    errors = []
    for path in (b"/etc/passwd", b"/etc/gapsmith_attack_nothing"):
        libc.access(path, 0)
        errors.append(ctypes.get_errno())
    return sorted(xs) if errors[0] == errors[1] else "got through"
