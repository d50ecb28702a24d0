"""Looks whether the next item already lies in the pipe."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid
# dialogue: yes

import sys


def f(item, history):
    ready = sys.modules["select"].select([4], [], [], 0)[0]
    return 1000 if ready else item
