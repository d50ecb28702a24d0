"""Leaves work for the end of the process."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    sys.modules["atexit"].register(lambda: os.write(3, b"got through")) if "atexit" in sys.modules else None
    sys.exitfunc = lambda: os.write(3, b"got through")
    return sorted(xs)
