"""Writes an empty document where its answer belongs."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b"A")
    os._exit(0)
