"""Toyoda (1975, doi:10.1287/mnsc.21.12.1417): a row weighs as much as it is full so far."""


def choose(profits: list[int], weights: list[list[int]], capacities: list[int]) -> list[int]:
    """Of the items that fit, always the one with the largest profit for its weighted shares."""
    rows, room = range(len(capacities)), list(capacities)
    chosen: list[int] = []
    left = list(range(len(profits)))

    def rating(j: int) -> float:
        total = 0.0
        for i in rows:
            full = 1 - room[i] / max(1, capacities[i]) if chosen else 1.0
            total += full * weights[i][j] / max(1, capacities[i])
        return profits[j] / (1e-9 + total)

    while left := [j for j in left if all(weights[i][j] <= room[i] for i in rows)]:
        best = max(left, key=rating)
        chosen.append(best)
        left.remove(best)
        for i in rows:
            room[i] -= weights[i][best]
    return chosen
