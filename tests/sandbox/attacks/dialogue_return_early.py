"""Makes the driver return in the middle of the instance."""
# ruff: noqa
# expect: invalid_answer raised
# may be off: rlimits seccomp landlock namespaces uid
# dialogue: yes

import sys

os = sys.modules["os"]


def f(item, history):
    os.close(4)
    return item
