"""Overflows the C stack."""
# ruff: noqa
# expect: crashed
# may be off: rlimits
# cpu: 2


def f(xs):
    value = ()
    for _ in range(10**6):
        value = (value,)
    return "got through %d" % hash(value)
