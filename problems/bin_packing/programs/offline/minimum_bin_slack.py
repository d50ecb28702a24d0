"""Minimum bin slack: bin after bin takes the largest item left and the items that fill it best.

J. N. D. Gupta, J. C. Ho, Production Planning & Control 10 (1999) 598-603, with the largest item fixed as in
K. Fleszar, K. S. Hindi, Computers & Operations Research 29 (2002) 821-839 (MBS').
"""

MAX_STEPS = 20_000


def fullest(sizes: list[int], counts: list[int], space: int) -> list[int]:
    """Places in `sizes` (falling) of items that leave least of `space`, by bounded depth-first search."""
    best_slack, steps = space, 0
    best: list[int] = []
    chosen: list[int] = []

    def search(position: int, left: int) -> None:
        nonlocal best_slack, best, steps
        if left < best_slack:
            best_slack, best = left, chosen.copy()
        while position < len(sizes) and sizes[position] > left:
            position += 1
        for place in range(position, len(sizes)):
            steps += 1
            if best_slack == 0 or steps > MAX_STEPS:
                return
            if counts[place] == 0 or sizes[place] > left:
                continue
            counts[place] -= 1
            chosen.append(place)
            search(place, left - sizes[place])
            chosen.pop()
            counts[place] += 1

    search(0, space)
    return best


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    values = sorted(set(sizes), reverse=True)
    waiting: dict[int, list[int]] = {value: [] for value in values}
    for j, size in enumerate(sizes):
        waiting[size].append(j)
    counts = [len(waiting[value]) for value in values]
    bins = [0] * len(sizes)
    number = 0
    for first in range(len(values)):
        while counts[first]:
            counts[first] -= 1
            taken = [first, *fullest(values, counts, capacity - values[first])]
            for place in taken:
                bins[waiting[values[place]].pop()] = number
            for place in taken[1:]:
                counts[place] -= 1
            number += 1
    return bins
