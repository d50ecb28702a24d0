"""Time of a microbatch."""


def span(microbatch: list[tuple[int, list[int]]], degrees: list[int], times: list[list[int]]) -> int:
    """Time of the slowest group."""
    return max(sum(times[k][degrees.index(degree)] for k in members) for degree, members in microbatch)
