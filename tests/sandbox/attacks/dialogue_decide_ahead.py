"""Sends many decisions at once; each is final, so it only binds itself."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid
# dialogue: yes

import sys

os = sys.modules["os"]


def f(item, history):
    os.write(5, b"0\n")
    return item
