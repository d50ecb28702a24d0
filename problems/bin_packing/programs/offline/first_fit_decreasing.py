"""First fit decreasing: largest item first, into the bin opened first among those that hold it."""


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    residuals: list[int] = []
    bins = [0] * len(sizes)
    for j in sorted(range(len(sizes)), key=lambda j: -sizes[j]):
        index = 0
        while index < len(residuals) and residuals[index] < sizes[j]:
            index += 1
        if index == len(residuals):
            residuals.append(capacity)
        residuals[index] -= sizes[j]
        bins[j] = index
    return bins
