"""Opens a key in the home folder."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    path = os.path.expanduser("~/.ssh/id_ed25519")
    try:
        return "got through " + open(path).read(1)
    except FileNotFoundError:
        return "got through: the call was made"
