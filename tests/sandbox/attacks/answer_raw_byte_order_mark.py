"""Writes a byte order mark where its answer belongs."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b"A\xef\xbb\xbf[1]")
    os._exit(0)
