"""Goes round the guarded import with the import system itself."""
# ruff: noqa
# expect: refused raised
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    importlib = sys.modules["importlib"]
    module = importlib.import_module("http.client")
    return "got through " + module.__name__
