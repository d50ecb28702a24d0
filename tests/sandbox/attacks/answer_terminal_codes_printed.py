"""Prints terminal codes and direction marks."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    print("\x1b[2J\u202e\x00\x9b" * 100)
    return sorted(xs)
