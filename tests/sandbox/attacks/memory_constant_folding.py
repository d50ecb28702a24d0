"""Has the compiler build something huge."""
# ruff: noqa
# expect: memory timeout ok raised
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    x = "a" * 4000 * 4000 * 4000 * 4000 if not xs else 0
    return sorted(xs)
