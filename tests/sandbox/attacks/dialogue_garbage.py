"""Sends what is no decision."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid
# dialogue: yes

import sys

os = sys.modules["os"]


def f(item, history):
    os.write(5, b"\xff\x00garbage\n")
    return item
