"""Puts the file finders of the import system back and imports from disk."""
# ruff: noqa
# expect: refused raised
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    machinery = sys.modules["importlib.machinery"]
    sys.meta_path.append(machinery.PathFinder)
    del sys.meta_path[0]
    sys.path.append("/usr/lib/python3")
    sys.modules["importlib"].import_module("http.client")
    return "got through"
