"""Best fit: the fullest open bin that holds the item; a new bin only if there is none."""


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.capacity = capacity
        self.items = items
        self.seen = 0
        self.total = 0

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        self.seen += 1
        self.total += item

        def score(gap: int) -> float:
            """Of the bins with this gap: the smallest wins; a new bin has the capacity as its gap."""
            return gap - item

        gaps = [gap for gap in range(item, self.capacity) if gap_counts[gap]]
        best = min([*gaps, self.capacity], key=score)
        return [*residuals, self.capacity].index(best)
