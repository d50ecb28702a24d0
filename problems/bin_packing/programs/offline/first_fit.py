"""First fit: items as given, each into the bin opened first among those that hold it."""


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    residuals: list[int] = []
    bins: list[int] = []
    for size in sizes:
        index = 0
        while index < len(residuals) and residuals[index] < size:
            index += 1
        if index == len(residuals):
            residuals.append(capacity)
        residuals[index] -= size
        bins.append(index)
    return bins
