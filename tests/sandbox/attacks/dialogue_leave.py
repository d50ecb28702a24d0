"""Ends in the middle of the instance."""
# ruff: noqa
# expect: crashed invalid_answer
# may be off: rlimits seccomp landlock namespaces uid
# dialogue: yes

import sys

os = sys.modules["os"]


def f(item, history):
    os._exit(0)
