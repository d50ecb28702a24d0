"""Replaces the built-in functions of everybody in its process."""
# ruff: noqa
# expect: ok raised crashed invalid_answer
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    builtins = sys.modules["builtins"]
    for name in ("len", "isinstance", "str", "type", "dict", "getattr"):
        setattr(builtins, name, lambda *a, **k: "got through")
    return sorted(xs)
