"""Bisection over a target pressure; for each target best fit decreasing of load + target × size."""


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


def pack(gpus: int, memory: int, sizes: list[int], rates: list[int], target: float) -> list[int] | None:
    """GPU of each model with no pressure above the target, or None."""
    weight = [rates[i] + target * sizes[i] for i in range(len(sizes))]
    room = [target * memory] * gpus
    free = [memory - 1] * gpus
    answer = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: -weight[i]):
        fits = [g for g in range(gpus) if room[g] >= weight[i] and free[g] >= sizes[i]]
        if not fits:
            return None
        g = min(fits, key=lambda g: room[g])
        room[g] -= weight[i]
        free[g] -= sizes[i]
        answer[i] = g
    return answer


def largest(gpus: int, memory: int, sizes: list[int], rates: list[int], answer: list[int]) -> float:
    """Largest pressure of any GPU, load units per free GB."""
    free = [memory] * gpus
    load = [0] * gpus
    for i, g in enumerate(answer):
        free[g] -= sizes[i]
        load[g] += rates[i]
    return max(load[g] / free[g] for g in range(gpus))


def first_fit(gpus: int, memory: int, sizes: list[int]) -> list[int]:
    """GPU of each model, largest first, each to the first GPU with room."""
    free = [memory - 1] * gpus
    answer = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        g = next(g for g in range(gpus) if free[g] >= sizes[i])
        free[g] -= sizes[i]
        answer[i] = g
    return answer
