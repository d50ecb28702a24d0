"""Next fit: the bin opened last, or a new one."""


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int | None = None) -> None:
        pass

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        if residuals and residuals[-1] >= item:
            return len(residuals) - 1
        return len(residuals)
