"""Almost worst fit: the second emptiest open bin that holds the item, else the emptiest, else a new one.

D. S. Johnson, "Fast algorithms for bin packing", J. Comput. System Sci. 8 (1974) 272-314.
"""


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.capacity = capacity

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        emptiest = None
        for gap in range(self.capacity, item - 1, -1):
            if gap_counts[gap] == 0:
                continue
            if emptiest is None:
                emptiest = gap
                if gap_counts[gap] > 1:
                    return residuals.index(gap, residuals.index(gap) + 1)
            else:
                return residuals.index(gap)
        return len(residuals) if emptiest is None else residuals.index(emptiest)
