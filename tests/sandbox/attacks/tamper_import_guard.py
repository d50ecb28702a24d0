"""Takes the real import out of the guard and uses it."""
# ruff: noqa
# expect: ok refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    guard = __builtins__["__import__"] if isinstance(__builtins__, dict) else __builtins__.__import__
    os = guard.__self__._import("os")
    try:
        os.listdir("/")
    except PermissionError:
        return sorted(xs)
    return "got through"
