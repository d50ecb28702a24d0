"""Imports the subprocess module."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid

import subprocess


def f(xs):
    return "got through " + subprocess.getoutput("id")
