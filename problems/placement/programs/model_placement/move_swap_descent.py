"""Local search from four constructions: moves and swaps away from the GPU of largest pressure."""

from collections.abc import Callable

from .first_fit import first_fit
from .pack import pack


def construct(gpus: int, memory: int, sizes: list[int], rates: list[int]) -> list[int]:
    """GPU of each model for the smallest target that best fit decreasing reaches."""
    answer = first_fit(gpus, memory, sizes)
    high = largest(gpus, memory, sizes, rates, answer)
    low = sum(rates) / (gpus * memory - sum(sizes))
    for _ in range(20):
        target = (low + high) / 2
        found = pack(gpus, memory, sizes, rates, target)
        if found is None:
            low = target
        else:
            answer = found
            high = min(target, largest(gpus, memory, sizes, rates, found))
    return answer


def largest(gpus: int, memory: int, sizes: list[int], rates: list[int], answer: list[int]) -> float:
    """Largest pressure of any GPU, load units per free GB."""
    free = [memory] * gpus
    load = [0] * gpus
    for i, g in enumerate(answer):
        free[g] -= sizes[i]
        load[g] += rates[i]
    return max(load[g] / free[g] for g in range(gpus))


def greedy(
    gpus: int, memory: int, sizes: list[int], rates: list[int], key: Callable[[int], float]
) -> list[int]:
    """GPU of each model in falling order of a key, each to the lowest pressure afterwards."""
    used = [0] * gpus
    load = [0] * gpus
    answer = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=key, reverse=True):
        fits = [g for g in range(gpus) if used[g] + sizes[i] < memory]
        if not fits:
            return first_fit(gpus, memory, sizes)
        g = min(fits, key=lambda g: (load[g] + rates[i]) / (memory - used[g] - sizes[i]))
        answer[i] = g
        used[g] += sizes[i]
        load[g] += rates[i]
    return answer


def place(gpus: int, memory: int, sizes: list[int], rates: list[int]) -> list[int]:
    """GPU of each model, the best of the local optima."""
    mean_size = sum(sizes) / len(sizes)
    mean_rate = sum(rates) / len(rates)
    keys = [
        lambda i: sizes[i],
        lambda i: sizes[i] / mean_size + rates[i] / mean_rate,
        lambda i: rates[i] / (memory - sizes[i]),
    ]
    starts = [greedy(gpus, memory, sizes, rates, key) for key in keys]
    starts.append(construct(gpus, memory, sizes, rates))
    ends = [descend(gpus, memory, sizes, rates, start) for start in starts]
    return min(ends, key=lambda answer: largest(gpus, memory, sizes, rates, answer))


def descend(gpus: int, memory: int, sizes: list[int], rates: list[int], answer: list[int]) -> list[int]:
    """The answer at a local optimum of moves and swaps."""
    used = [0] * gpus
    load = [0] * gpus
    for i, g in enumerate(answer):
        used[g] += sizes[i]
        load[g] += rates[i]

    def pressure(units: int, filled: int) -> float:
        return units / (memory - filled) if filled < memory else float("inf")

    while True:
        worst = max(range(gpus), key=lambda g: pressure(load[g], used[g]))
        lowest = pressure(load[worst], used[worst]) * (1 - 1e-12)
        change = None
        for i in range(len(sizes)):
            if answer[i] != worst:
                continue
            for j in range(-gpus, len(sizes)):
                g = j + gpus if j < 0 else answer[j]
                if g == worst:
                    continue
                rate = rates[i] - (rates[j] if j >= 0 else 0)
                size = sizes[i] - (sizes[j] if j >= 0 else 0)
                here = pressure(load[worst] - rate, used[worst] - size)
                there = pressure(load[g] + rate, used[g] + size)
                if max(here, there) < lowest:
                    lowest = max(here, there)
                    change = (i, j, g, rate, size)
        if change is None:
            return answer
        i, j, g, rate, size = change
        answer[i] = g
        if j >= 0:
            answer[j] = worst
        load[worst] -= rate
        used[worst] -= size
        load[g] += rate
        used[g] += size
