"""Every slice on the type that serves it most cheaply."""


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[list[int]]:
    """Slices of each bucket on each type."""
    answer = [[0] * len(prices) for _ in slices]
    for b in range(len(slices)):
        costs = [(load * prices[t], t) for t, load in enumerate(loads[b]) if load is not None]
        answer[b][min(costs)[1]] = slices[b]
    return answer
