"""Fill-weighted sum of squares with a best-fit finish, for a known number of items.

Sum of squares (Csirik et al., J. ACM 53 (2006) 1-65) with N(g) weighted by the fill C - g: bins that are
nearly full and hard to finish count more. Once the volume still expected (items left times the mean size
seen) fits the space of the open bins, best fit closes them.
"""


class Packer:
    """Keeps the rule's state."""

    def __init__(self, capacity: int, items: int) -> None:
        self.capacity = capacity
        self.left = items
        self.seen = 0
        self.total = 0
        self.space = 0
        self.weights = [(capacity - gap) ** 2 for gap in range(capacity + 1)]
        self.weights[0] = 0

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        self.left -= 1
        self.seen += 1
        self.total += item
        if self.left * self.total <= self.space * self.seen:
            gap = self.best_fit(item, gap_counts)
        else:
            gap = self.least_growth(item, gap_counts)
        self.space -= item
        if gap == self.capacity:
            self.space += gap
            return len(residuals)
        return residuals.index(gap)

    def best_fit(self, item: int, gap_counts: list[int]) -> int:
        """The smallest gap of an open bin that holds the item, or the capacity."""
        for gap in range(item, self.capacity):
            if gap_counts[gap]:
                return gap
        return self.capacity

    def least_growth(self, item: int, gap_counts: list[int]) -> int:
        """The gap whose use lets the weighted sum of squares grow least."""
        best_gap, best_growth = self.capacity, None
        for gap in range(item, self.capacity + 1):
            growth = 0
            if gap < self.capacity:
                if gap_counts[gap] == 0:
                    continue
                growth = self.weights[gap] * (1 - 2 * gap_counts[gap])
            growth += self.weights[gap - item] * (2 * gap_counts[gap - item] + 1)
            if best_growth is None or growth < best_growth:
                best_gap, best_growth = gap, growth
        return best_gap
