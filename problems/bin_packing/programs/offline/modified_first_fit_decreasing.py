"""Modified first fit decreasing: bins that hold an item over half are topped up before the rest is packed.

D. S. Johnson, M. R. Garey, "A 71/60 theorem for bin packing", J. Complexity 1 (1985) 65-106.
"""

from bisect import bisect_right


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    classes: dict[str, list[tuple[int, int]]] = {"large": [], "medium": [], "small": [], "tiny": []}
    for size, j in sorted((size, j) for j, size in enumerate(sizes)):
        if 2 * size > capacity:
            classes["large"].append((size, j))
        elif 3 * size > capacity:
            classes["medium"].append((size, j))
        elif 6 * size > capacity:
            classes["small"].append((size, j))
        else:
            classes["tiny"].append((size, j))
    bins = [0] * len(sizes)
    residuals: list[int] = []
    for size, j in reversed(classes["large"]):
        bins[j] = len(residuals)
        residuals.append(capacity - size)

    def put(items: list[tuple[int, int]], position: int, index: int) -> None:
        size, j = items.pop(position)
        bins[j] = index
        residuals[index] -= size

    def largest(items: list[tuple[int, int]], space: int) -> int:
        return bisect_right(items, (space, len(sizes))) - 1

    medium, small = classes["medium"], classes["small"]
    without_medium = []
    for index, space in enumerate(residuals):
        if medium and medium[0][0] <= space:
            put(medium, largest(medium, space), index)
        else:
            without_medium.append(index)
    for index in reversed(without_medium):
        if len(small) >= 2 and small[0][0] + small[1][0] <= residuals[index]:
            put(small, 0, index)
            put(small, largest(small, residuals[index]), index)
    rest = sorted(medium + small + classes["tiny"])
    for index in range(len(residuals)):
        while rest and rest[0][0] <= residuals[index]:
            put(rest, largest(rest, residuals[index]), index)
    first_new = len(residuals)
    for size, j in reversed(rest):
        for index in range(first_new, len(residuals)):
            if residuals[index] >= size:
                break
        else:
            index = len(residuals)
            residuals.append(capacity)
        bins[j] = index
        residuals[index] -= size
    return bins
