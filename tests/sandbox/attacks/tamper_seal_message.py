"""Claims that it could not be sealed, to stop the whole campaign."""
# ruff: noqa
# expect: crashed
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    for descriptor in range(3, 1024):
        try:
            os.write(descriptor, b"Sseccomp: broken")
        except OSError:
            pass
    os._exit(1)
