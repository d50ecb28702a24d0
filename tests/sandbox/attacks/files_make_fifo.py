"""Makes a named pipe as a channel to the next candidate."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    os.mkfifo("/dev/shm/gapsmith_attack_fifo")
    return "got through"
