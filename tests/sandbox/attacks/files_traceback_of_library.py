"""Makes the line cache read a file by raising in code of that name."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    linecache = sys.modules["linecache"]
    return "got through" if linecache.getlines("/etc/passwd") else sorted(xs)
