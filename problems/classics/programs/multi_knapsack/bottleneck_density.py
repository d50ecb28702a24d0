"""Largest profit for the largest share of a capacity first."""


def choose(profits: list[int], weights: list[list[int]], capacities: list[int]) -> list[int]:
    """Items by falling rating, each one that still fits."""

    def rating(j: int) -> float:
        shares = [weights[i][j] / max(1, capacities[i]) for i in range(len(capacities))]
        return profits[j] / (1e-9 + max(shares))

    rows, room, chosen = range(len(capacities)), list(capacities), list[int]()
    for j in sorted(range(len(profits)), key=lambda j: -rating(j)):
        if all(weights[i][j] <= room[i] for i in rows):
            room = [room[i] - weights[i][j] for i in rows]
            chosen.append(j)
    return chosen
