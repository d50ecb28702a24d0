"""Best fit decreasing: largest item first, into the fullest bin that holds it."""


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    residuals: list[int] = []
    bins = [0] * len(sizes)
    for j in sorted(range(len(sizes)), key=lambda j: -sizes[j]):
        fitting = [(residual, index) for index, residual in enumerate(residuals) if residual >= sizes[j]]
        if fitting:
            index = min(fitting)[1]
        else:
            index = len(residuals)
            residuals.append(capacity)
        residuals[index] -= sizes[j]
        bins[j] = index
    return bins
