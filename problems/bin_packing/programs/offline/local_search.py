"""Best fit decreasing, then moves and swaps that raise the sum of squared loads until none does.

The neighbourhood of K. Fleszar, K. S. Hindi, Computers & Operations Research 29 (2002) 821-839; the number
of pairs tried is limited, not the time, so that the result is the same on every machine.
"""

MAX_TRIALS = 300_000


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    order = sorted(range(len(sizes)), key=lambda j: -sizes[j])
    bins = [0] * len(sizes)
    residuals: list[int] = []
    contents: list[list[int]] = []
    for j in order:
        fitting = [(space, index) for index, space in enumerate(residuals) if space >= sizes[j]]
        index = min(fitting)[1] if fitting else len(residuals)
        if index == len(residuals):
            residuals.append(capacity)
            contents.append([])
        residuals[index] -= sizes[j]
        contents[index].append(j)
        bins[j] = index

    def shift(j: int, target: int) -> None:
        contents[bins[j]].remove(j)
        residuals[bins[j]] += sizes[j]
        bins[j] = target
        residuals[target] -= sizes[j]
        contents[target].append(j)

    trials = 0
    improved = True
    while improved and trials < MAX_TRIALS:
        improved = False
        for j in order:
            here = bins[j]
            best = 0
            move: tuple[int, int | None] | None = None
            for target, space in enumerate(residuals):
                trials += 1
                if target == here or space == 0:
                    continue
                if space >= sizes[j]:  # a move: loads a, b become a - s, b + s
                    gain = 2 * sizes[j] * (residuals[here] + sizes[j] - space)
                    if gain > best:
                        best, move = gain, (target, None)
                    continue
                for rival in contents[target]:  # a swap that fills the target further
                    step = sizes[j] - sizes[rival]
                    gain = 2 * step * (residuals[here] + step - space)
                    if 0 < step <= space and gain > best:
                        best, move = gain, (target, rival)
            if move is not None:
                target, other = move
                if other is not None:
                    shift(other, here)
                shift(j, target)
                improved = True
            if trials >= MAX_TRIALS:
                break
    return bins
