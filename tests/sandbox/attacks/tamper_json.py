"""Replaces the JSON functions."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid

import sys


def f(xs):
    json = sys.modules["json"]
    json.dumps = json.JSONEncoder.encode = lambda *a, **k: '["got through"]'
    return sorted(xs)
