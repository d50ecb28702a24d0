"""Searches all live objects for the text of the candidate before it."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid
# cpu: 2

import sys


def f(xs):
    wanted = "".join(["the text of an ", "earlier candidate"])
    for value in sys.modules["gc"].get_objects():
        if type(value) is dict and any(type(v) is str and wanted in v for v in value.values()):
            return "got through"
    return sorted(xs)
