"""First fit: the bin opened first among those that hold the item."""


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.first = 0

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        while self.first < len(residuals) and residuals[self.first] == 0:
            self.first += 1
        for index in range(self.first, len(residuals)):
            if residuals[index] >= item:
                return index
        return len(residuals)
