"""Makes sorting lie to whoever comes next."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    answer = sorted(xs)
    sys.modules["builtins"].sorted = lambda *a, **k: [0]
    __builtins__["sorted"] = lambda *a, **k: [0]
    return answer
