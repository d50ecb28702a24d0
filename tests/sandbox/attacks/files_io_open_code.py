"""Opens a file by the door meant for source code."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    return "got through %d" % len(sys.modules["io"].open_code("/etc/passwd").read())
