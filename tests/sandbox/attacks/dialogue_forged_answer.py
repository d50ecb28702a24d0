"""Writes an answer of its own; the parent's transcript is the answer."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid
# dialogue: yes

import sys

os = sys.modules["os"]


def f(item, history):
    os.lseek(3, 0, 0)
    os.write(3, b"A[1000]")
    return item
