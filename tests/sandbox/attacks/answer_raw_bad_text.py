"""Writes bytes that are no text where its answer belongs."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b'A"\xff\xfe"')
    os._exit(0)
