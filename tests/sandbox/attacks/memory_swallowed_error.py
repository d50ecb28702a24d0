"""Goes on after each refusal, forever."""
# ruff: noqa
# expect: timeout
# may be off: none


def f(xs):
    kept = []
    while True:
        try:
            kept.append(bytearray(1 << 22))
        except MemoryError:
            pass
