"""Best fit: items as given, each into the fullest bin that holds it."""


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    residuals: list[int] = []
    bins: list[int] = []
    for size in sizes:
        fitting = [(residual, index) for index, residual in enumerate(residuals) if residual >= size]
        if fitting:
            index = min(fitting)[1]
        else:
            index = len(residuals)
            residuals.append(capacity)
        residuals[index] -= size
        bins.append(index)
    return bins
