"""First fit decreasing, one bin at a time: the largest item left, then the largest that still fits."""


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    item_counts = [0] * (capacity + 1)
    waiting: dict[int, list[int]] = {}
    for j, size in enumerate(sizes):
        item_counts[size] += 1
        waiting.setdefault(size, []).append(j)
    bins = [0] * len(sizes)
    opened = 0
    residual = capacity

    def score(item: int) -> float:
        """Of an item that fits: the smallest wins, the larger item of equals."""
        return residual - item

    for _ in sizes:
        left = sorted((item for item in waiting if item_counts[item] > 0), reverse=True)
        fits = [item for item in left if item <= residual]
        chosen = min(fits, key=score, default=left[0])
        if residual == capacity or not fits:
            chosen = left[0]
        if not fits:
            opened += 1
            residual = capacity
        bins[waiting[chosen].pop()] = opened
        item_counts[chosen] -= 1
        residual -= chosen
    return bins
