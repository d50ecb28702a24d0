"""Walks to the frames that called it and changes what it finds."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    frame = sys._getframe()
    while frame is not None:
        for value in frame.f_locals.values():
            if isinstance(value, dict) and "score" in value:
                return "got through"
        frame.f_trace = lambda *a: None
        frame = frame.f_back
    return sorted(xs)
