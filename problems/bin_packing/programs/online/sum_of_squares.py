"""Sum of squares: put the item where the sum of N(g)^2 over the gaps 0 < g < C grows least.

N(g) is the number of open bins with gap g; opening a bin competes as gap C; ties go to the smallest gap. J.
Csirik, D. S. Johnson, C. Kenyon, J. B. Orlin, P. W. Shor, R. R. Weber, "On the sum-of-squares algorithm for
bin packing", J. ACM 53 (2006) 1-65.
"""


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.capacity = capacity

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        capacity = self.capacity
        best_gap, best_growth = capacity, None
        for gap in range(item, capacity + 1):
            growth = 0
            if gap < capacity:
                if gap_counts[gap] == 0:
                    continue
                growth = 1 - 2 * gap_counts[gap]
            if gap > item:
                growth += 2 * gap_counts[gap - item] + 1
            if best_growth is None or growth < best_growth:
                best_gap, best_growth = gap, growth
        return len(residuals) if best_gap == capacity else residuals.index(best_gap)
