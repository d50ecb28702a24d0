"""Expected-waste dynamic program; the last items are decided with sampled futures packed into all open bins."""
import random
from bisect import bisect_left, insort

import numpy as np

SHARE = 0.6      # offers that a bin gets per item that is still to come
MAX_LEVEL = 120  # most offers in the table
PRIOR = 8.0      # weight (in items) of the uniform prior over the range seen
REFRESH = 1.4   # the table is made anew when so many times more items are seen
WORK_LIMIT = 140000000  # table entries worked on per instance
HORIZON = 110    # the look-ahead is used when so many items or fewer are left
SAMPLES = 12     # futures per decision
CANDIDATES = 3   # gaps compared per decision
BLEND = 0.3      # share of the table's cost in the look-ahead
LAST_BIN_CREDIT = 0.5  # credit for the free share of the emptiest bin
PACK_LIMIT = 1200000   # sampled placements per instance
SEED = 12345


class Packer:
    """Keeps the sizes seen and the table of expected waste."""

    def __init__(self, capacity: int, items: int) -> None:
        self.capacity = capacity
        self.left = items
        self.seen = []
        self.counts = np.zeros(capacity + 1)
        self.next_refresh = 1
        self.work = 0
        self.packed = 0
        self.table = None
        self.rng = random.Random(SEED)

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        self.left -= 1
        self.seen.append(item)
        self.counts[item] += 1
        if len(self.seen) >= self.next_refresh:
            self.refresh()
            self.next_refresh = max(len(self.seen) + 3, int(len(self.seen) * REFRESH))
        capacity = self.capacity
        scored = []
        for gap in range(item, capacity):
            count = gap_counts[gap]
            if count:
                freed = self.waste(gap, count - 1) - self.waste(gap, count)
                scored.append((round(freed + self.growth(gap - item, gap_counts), 9), gap))
        fresh = self.growth(capacity - item, gap_counts) - self.table[-1][capacity]
        scored.append((round(fresh, 9), capacity))
        scored.sort()
        gap = scored[0][1]
        if gap != item and len(scored) > 1 and 0 < self.left <= HORIZON:
            gap = self.look_ahead(item, scored[:CANDIDATES], gap_counts)
        return len(residuals) if gap == capacity else residuals.index(gap)

    def growth(self, gap: int, gap_counts: list[int]) -> float:
        """Expected waste that one more bin with this gap adds."""
        return self.waste(gap, gap_counts[gap] + 1) - self.waste(gap, gap_counts[gap])

    def waste(self, gap: int, count: int) -> float:
        """Expected waste of `count` bins with this gap, which share the offers."""
        offers = min(SHARE * self.left / max(count, 1), float(MAX_LEVEL))
        level = min(int(offers), MAX_LEVEL - 1)
        part = offers - level
        return count * ((1 - part) * self.table[level][gap] + part * self.table[level + 1][gap])

    def refresh(self) -> None:
        """Makes the table, offers by gap, from the sizes seen so far."""
        present = np.flatnonzero(self.counts)
        sizes = np.arange(present[0], present[-1] + 1)
        work = MAX_LEVEL * len(self.counts) * len(sizes)
        if self.table is not None and self.work + work > WORK_LIMIT:
            return
        self.work += work
        chance = self.counts[sizes] + PRIOR / len(sizes)
        chance /= chance.sum()
        gaps = np.arange(len(self.counts))[:, None]
        rest = np.where(gaps < sizes, gaps, gaps - sizes)  # what does not fit leaves the gap
        value = gaps[:, 0].astype(float)
        self.table = [value.tolist()]
        for _ in range(MAX_LEVEL):
            value = np.minimum(value[rest], value[:, None]) @ chance
            self.table.append(value.tolist())

    def look_ahead(self, item: int, scored: list[tuple[float, int]], gap_counts: list[int]) -> int:
        """The candidate with the least mean of bins in sampled futures and expected waste."""
        samples = min(SAMPLES, (PACK_LIMIT - self.packed) // (self.left * len(scored)))
        if samples < 2:
            return scored[0][1]
        self.packed += self.left * samples * len(scored)
        capacity, low = self.capacity, min(self.seen)
        futures = [sorted(self.rng.choices(self.seen, k=self.left), reverse=True) for _ in range(samples)]
        base = []
        for gap in range(low, capacity):
            base.extend([gap] * gap_counts[gap])
        best_gap, best_cost = scored[0][1], None
        for waste, gap in scored:
            gaps = base[:]
            opened = 1
            if gap < capacity:
                opened = 0
                del gaps[bisect_left(gaps, gap)]
            if gap - item >= low:
                insort(gaps, gap - item)
            bins = opened + sum(self.pack(future, gaps[:], low) for future in futures) / samples
            cost = bins + BLEND * waste / capacity
            if best_cost is None or cost < best_cost:
                best_gap, best_cost = gap, cost
        return best_gap

    def pack(self, future: list[int], gaps: list[int], low: int) -> float:
        """Bins that best fit opens for the future, less a credit for the emptiest."""
        capacity, opened = self.capacity, 0
        for size in future:
            at = bisect_left(gaps, size)
            if at < len(gaps):
                rest = gaps.pop(at) - size
            else:
                opened += 1
                rest = capacity - size
            if rest >= low:
                insort(gaps, rest)
        return opened - (LAST_BIN_CREDIT * gaps[-1] / capacity if gaps else 0.0)
