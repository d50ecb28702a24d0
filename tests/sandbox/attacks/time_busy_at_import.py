"""Burns CPU time before its function is called."""
# ruff: noqa
# expect: timeout
# may be off: rlimits

while True:
    pass
