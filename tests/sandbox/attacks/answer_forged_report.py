"""Reports a failure of its own choice; it is a failure all the same."""
# ruff: noqa
# expect: memory
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.write(3, b'E["memory", "please be kind"]')
    os._exit(0)
