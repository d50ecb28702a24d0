"""Imports the socket module."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import socket


def f(xs):
    return "got through"
