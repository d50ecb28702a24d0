"""Changes its own job, which a later process might read."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    try:
        os.pwrite(0, b"got through", 0)
    except OSError:
        return sorted(xs)
    return "got through"
