"""The rule that FunSearch found on OR-Library's sets: a step function of the space that would remain.

Written from the published formula: B. Romera-Paredes et al., Nature 625 (2024) 468-475; made for capacity
150. The bin with the largest score wins, ties go to the bin opened first; a new bin has the score of its
space.
"""


class Packer:
    """Keeps the rule's state."""

    STEPS = ((2, 4.0), (3, 3.0), (5, 2.0), (7, 1.0), (9, 0.9), (12, 0.95), (15, 0.97), (21, 0.98))

    def __init__(self, capacity: int, items: int | None = None) -> None:
        self.capacity = capacity
        self.score = [0.99] * (capacity + 1)
        for limit, value in reversed(self.STEPS):
            for slack in range(min(limit, capacity) + 1):
                self.score[slack] = value

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        gaps = [gap for gap in range(item, self.capacity) if gap_counts[gap]]
        best = max((self.score[gap - item] for gap in gaps), default=0.0)
        if self.score[self.capacity - item] > best:
            return len(residuals)
        tied = {gap for gap in gaps if self.score[gap - item] == best}
        for index, residual in enumerate(residuals):
            if residual in tied:
                return index
        return len(residuals)
