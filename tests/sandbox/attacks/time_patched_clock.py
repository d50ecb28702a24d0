"""Lies about the clock inside its own process."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    time = sys.modules["time"]
    time.perf_counter = time.time = time.process_time = lambda: -1e9
    return sorted(xs)
