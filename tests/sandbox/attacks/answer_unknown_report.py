"""Writes a report with a status that does not exist."""
# ruff: noqa
# expect: crashed
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b'E["ok", "scored 100"]')
    os._exit(0)
