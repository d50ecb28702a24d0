"""Changes the rights of a file."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    try:
        os.chmod("/dev/shm/gapsmith_attack_nothing", 0o777)
    except FileNotFoundError:
        return "got through: the call was made"
