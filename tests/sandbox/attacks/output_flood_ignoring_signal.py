"""Ignores the signal of the file size limit."""
# ruff: noqa
# expect: output timeout
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    signal = sys.modules["signal"]
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    while True:
        os.write(1, b"x" * 1000)
