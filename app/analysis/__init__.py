"""Judges recorded runs and runs them again: compare, verify, replay, simplify."""
