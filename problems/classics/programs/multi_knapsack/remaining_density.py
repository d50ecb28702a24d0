"""Largest profit for the shares of what is left of the capacities, rated anew after each item."""


def choose(profits: list[int], weights: list[list[int]], capacities: list[int]) -> list[int]:
    """Of the items that fit, always the one with the largest profit for its shares."""
    rows, room = range(len(capacities)), list(capacities)
    chosen: list[int] = []
    left = list(range(len(profits)))

    def rating(j: int) -> float:
        return profits[j] / (1e-9 + sum(weights[i][j] / max(1, room[i]) for i in rows))

    while left := [j for j in left if all(weights[i][j] <= room[i] for i in rows)]:
        best = max(left, key=rating)
        chosen.append(best)
        left.remove(best)
        for i in rows:
            room[i] -= weights[i][best]
    return chosen
