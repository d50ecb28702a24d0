"""Becomes a program that lies in memory."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import sys

os = sys.modules["os"]


def f(xs):
    descriptor = os.memfd_create("gapsmith_attack")
    os.write(descriptor, b"#!/bin/sh\necho got through\n")
    os.execve(descriptor, ["x"], {})
