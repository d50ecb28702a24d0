"""Models to GPUs by size alone."""


def first_fit(gpus: int, memory: int, sizes: list[int]) -> list[int]:
    """GPU of each model, largest first, each to the first GPU with room."""
    free = [memory - 1] * gpus
    answer = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        g = next(g for g in range(gpus) if free[g] >= sizes[i])
        free[g] -= sizes[i]
        answer[i] = g
    return answer
