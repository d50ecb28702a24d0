"""Bisection over a target pressure; for each target best fit decreasing of load + target × size."""

from .first_fit import first_fit
from .pack import pack


def place(gpus: int, memory: int, sizes: list[int], rates: list[int]) -> list[int]:
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
