"""Grows a list of small objects without end."""
# ruff: noqa
# expect: memory timeout
# may be off: rlimits
# cpu: 2


def f(xs):
    kept = []
    while len(kept) < 200_000:
        kept.append([0] * 200)
    return "got through"
