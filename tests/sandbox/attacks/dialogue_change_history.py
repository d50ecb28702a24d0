"""Changes what it was told earlier."""
# ruff: noqa
# expect: ok
# may be off: rlimits seccomp landlock namespaces uid
# dialogue: yes


def f(item, history):
    history.clear()
    return item
