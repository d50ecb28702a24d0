"""Loads the socket extension past the import policy."""
# ruff: noqa
# expect: refused raised
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    machinery = sys.modules["importlib.machinery"]
    spec = machinery.BuiltinImporter.find_spec("_socket")
    if spec is None:
        raise PermissionError("no such built-in module")
    module = (
        sys.modules["importlib._bootstrap"]._load(spec)
        if "importlib._bootstrap" in sys.modules
        else sys.modules["_frozen_importlib"]._load(spec)
    )
    module.socket(2, 1)
    return "got through"
