"""Dearest slices first, each to the type where its own price plus a share of a new GPU's is lowest."""


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[list[int]]:
    """Slices of each bucket on each type."""
    types = range(len(prices))
    new_weight = 0.2
    fill_weight = 1.0
    total = [0] * len(prices)
    answer = [[0] * len(prices) for _ in slices]

    def cost(b: int, t: int) -> float:
        load = loads[b][t]
        if load is None:
            return float("inf")
        new = -(-(total[t] + load) // capacity) - -(-total[t] // capacity)
        return fill_weight * load * prices[t] / capacity + new_weight * new * prices[t]

    def key(b: int) -> float:
        return min(cost(b, t) for t in types)

    for b in sorted(range(len(slices)), key=key, reverse=True):
        for _ in range(slices[b]):
            t = min(types, key=lambda t: cost(b, t))
            answer[b][t] += 1
            total[t] += loads[b][t] or 0
    return answer
