"""Largest profit first."""


def choose(profits: list[int], weights: list[list[int]], capacities: list[int]) -> list[int]:
    """Items by falling rating, each one that still fits."""
    rows, room, chosen = range(len(capacities)), list(capacities), list[int]()
    for j in sorted(range(len(profits)), key=lambda j: -profits[j]):
        if all(weights[i][j] <= room[i] for i in rows):
            room = [room[i] - weights[i][j] for i in rows]
            chosen.append(j)
    return chosen
