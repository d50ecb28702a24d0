"""Models to GPUs below a target."""


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
