"""Finds the file type by walking all classes from object."""
# ruff: noqa
# expect: refused
# may be off: rlimits seccomp landlock namespaces uid


def f(xs):
    kinds = [object]
    for kind in kinds:
        kinds += [below for below in type.__subclasses__(kind) if below not in kinds and below is not type]
        if kind.__name__ == "FileIO":
            return "got through %d" % len(kind("/etc/passwd").read())
    return "no such class"
