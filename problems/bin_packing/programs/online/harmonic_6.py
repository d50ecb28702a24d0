"""Harmonic(6): items of the class (C/(k+1), C/k] are packed k to a bin; the last class by next fit.

C. C. Lee, D. T. Lee, "A simple on-line bin-packing algorithm", J. ACM 32 (1985) 562-572.
"""


class Packer:
    """Keeps the rule's state."""

    CLASSES = 6

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.capacity = capacity
        self.current: dict[int, tuple[int, int]] = {}

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        kind = min(self.capacity // item, self.CLASSES)
        index, held = self.current.get(kind, (-1, 0))
        if kind < self.CLASSES:
            fits = index >= 0 and held < kind
        else:
            fits = index >= 0 and residuals[index] >= item
        if not fits:
            index, held = len(residuals), 0
        self.current[kind] = (index, held + 1)
        return index
