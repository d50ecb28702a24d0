"""Gupta's index (1971): a sign by first and last machine, over the least sum of two neighbouring times."""

from itertools import pairwise


def sequence(times: list[list[int]]) -> list[int]:
    """Smallest index first."""

    def index(j: int) -> float:
        row = times[j]
        pairs = [a + b for a, b in pairwise(row)] or [row[0]]
        return (1 if row[0] > row[-1] else -1) / min(pairs)

    return sorted(range(len(times)), key=index)
