"""Worst fit: the emptiest open bin, if it holds the item."""


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.capacity = capacity

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        for gap in range(self.capacity, item - 1, -1):
            if gap_counts[gap]:
                return residuals.index(gap)
        return len(residuals)
