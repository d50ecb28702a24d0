"""Exchanges of one item for another; stands at the end of every program that improves a choice."""


def exchanged(
    chosen: list[int], profits: list[int], weights: list[list[int]], capacities: list[int]
) -> list[int]:
    """Takes what fits, or one item in place of a cheaper one, again as long as that adds profit."""
    rows = range(len(capacities))
    room = [capacities[i] - sum(weights[i][j] for j in chosen) for i in rows]
    better = True
    while better:
        better = False
        for j in sorted(set(range(len(profits))) - set(chosen), key=lambda j: -profits[j]):
            for k in [None, *sorted(chosen, key=lambda k: profits[k])]:
                if k is not None and profits[k] >= profits[j]:
                    break
                free = room if k is None else [room[i] + weights[i][k] for i in rows]
                if all(weights[i][j] <= free[i] for i in rows):
                    room = [free[i] - weights[i][j] for i in rows]
                    chosen = [item for item in chosen if item != k] + [j]
                    better = True
                    break
    return chosen
