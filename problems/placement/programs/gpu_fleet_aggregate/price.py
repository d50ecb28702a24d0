"""Price of a split."""


def price(prices: list[int], loads: list[list[int | None]], capacity: int, split: list[list[int]]) -> int:
    """Price of the GPUs that a split needs."""
    total = 0
    for t in range(len(prices)):
        load = sum(row[t] * (loads[b][t] or 0) for b, row in enumerate(split))
        total += prices[t] * -(-load // capacity)
    return total
