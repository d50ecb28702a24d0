"""Answers with brackets that crash careless parsers."""
# ruff: noqa
# expect: invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b"A" + b"[" * 60_000)
    os._exit(0)
