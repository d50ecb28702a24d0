"""Imports the web client."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

from urllib.request import urlopen


def f(xs):
    return "got through " + urlopen("http://localhost").read().decode()
