"""Makes the end of the process a no-op."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os._exit = lambda code: None
    return sorted(xs)
