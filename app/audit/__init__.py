"""A run is judged or run again: compare, verify, replay, simplify."""
