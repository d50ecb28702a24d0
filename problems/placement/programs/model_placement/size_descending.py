"""Largest model first, to the GPU whose pressure is lowest afterwards."""

from .first_fit import first_fit


def place(gpus: int, memory: int, sizes: list[int], rates: list[int]) -> list[int]:
    """GPU of each model; falls back to first fit by size when a model fits nowhere."""
    used = [0] * gpus
    load = [0] * gpus
    answer = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: sizes[i], reverse=True):
        best = None
        lowest = 0.0
        for g in range(gpus):
            if used[g] + sizes[i] < memory:
                score = (load[g] + rates[i]) / (memory - used[g] - sizes[i])
                if best is None or score < lowest:
                    best = g
                    lowest = score
        if best is None:
            return first_fit(gpus, memory, sizes)
        answer[i] = best
        used[best] += sizes[i]
        load[best] += rates[i]
    return answer
