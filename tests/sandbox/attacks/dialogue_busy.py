"""Thinks forever about one item."""
# ruff: noqa
# expect: timeout
# may be off: rlimits
# dialogue: yes


def f(item, history):
    while True:
        pass
