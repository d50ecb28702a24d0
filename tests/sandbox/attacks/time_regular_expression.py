"""Burns CPU time inside the regular expression engine."""
# ruff: noqa
# expect: timeout
# may be off: rlimits

import re


def f(xs):
    return bool(re.match(r"(a+)+$", "a" * 40 + "b"))
