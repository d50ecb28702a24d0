"""Beam over whole schedules: states are sets of open blocks, the longest job of the largest one is fixed next."""

from heapq import heappop, heappush

WIDTH = 6
WORK = 22_000


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """The state with the lowest estimate that has no open block is returned."""
    n = len(due_dates)
    if n < 2:
        return list(range(n))
    ids = sorted(range(n), key=lambda j: (due_dates[j], processing_times[j]))
    blocks = Blocks([processing_times[j] for j in ids], [due_dates[j] for j in ids])
    everything = (tuple(range(n)), 0)
    value, is_open = blocks.judge(*everything)
    # A state: estimate of the whole, cost already fixed, open blocks, placements as a linked list.
    link: tuple | None = None
    if not is_open:
        link = (everything, None)
    states = [(value, () if link else (everything,), link)]
    best = None
    best_value = 1 << 60
    width = WIDTH
    while states:
        found: dict = {}
        for value, opened, link in states:
            if not opened:
                if value < best_value:
                    best, best_value = link, value
                continue
            # The largest block decides most.
            block = max(opened, key=lambda b: len(b[0]))
            others = tuple([b for b in opened if b is not block])
            rest = value - blocks.judge(*block)[0]
            for own, parts in blocks.split(*block):
                total = rest + own
                chain = link
                still = others
                for part in parts:
                    cost, is_open = blocks.judge(*part)
                    total += cost
                    if is_open:
                        still += (part,)
                    else:
                        chain = (part, chain)
                # Parts that were split off: the fixed job goes as a block of its own.
                known = found.get(still)
                if known is None or total < known[0]:
                    found[still] = (total, still, chain)
        states = sorted(found.values(), key=lambda s: s[0])
        if blocks.work <= 0:
            width = 1
        states = states[:width]
    # Closed blocks by start time give the sequence.
    closed = []
    while best is not None:
        closed.append(best[0])
        best = best[1]
    closed.sort(key=lambda b: b[1])
    return [ids[j] for jobs, _ in closed for j in jobs]


class Blocks:
    """What is known of blocks: jobs (numbers in due date order) and their start time."""

    def __init__(self, p: list[int], d: list[int]):
        self.p = p
        self.d = d
        self.work = WORK
        self.judged: dict = {}
        self.splits: dict = {}

    def judge(self, jobs: tuple, t: int) -> tuple:
        """Estimated total tardiness, and whether the block is open (due date order not known to be optimal)."""
        key = (jobs, t)
        known = self.judged.get(key)
        if known is not None:
            return known
        self.work -= len(jobs)
        p, d = self.p, self.d
        time = t
        tardy = total = 0
        for j in jobs:
            time += p[j]
            if time > d[j]:
                tardy += 1
                total += time - d[j]
        if tardy <= 1:
            known = (total, False)
        else:
            known = (self.estimate(jobs, t), True)
        self.judged[key] = known
        return known

    def estimate(self, jobs: tuple, t: int) -> int:
        """Total tardiness of the modified due date sequence."""
        self.work -= len(jobs)
        p, d = self.p, self.d
        total = 0
        late: list = []
        for j in jobs:
            q = p[j]
            due = d[j]
            while late and t + q <= due and t + late[0][0] < due:
                length, date = heappop(late)
                t += length
                if t > date:
                    total += t - date
            if t + q > due:
                heappush(late, (q, due))
            else:
                t += q
        late.sort()
        for length, date in late:
            t += length
            if t > date:
                total += t - date
        return total

    def split(self, jobs: tuple, t: int) -> list:
        """For each admissible place of the longest job: 0 and the parts, the fixed job being one of them."""
        key = (jobs, t)
        known = self.splits.get(key)
        if known is not None:
            return known
        m = len(jobs)
        self.work -= m
        p, d = self.p, self.d
        ends = []
        time = t
        longest = k = 0
        for i, j in enumerate(jobs):
            q = p[j]
            time += q
            ends.append(time)
            if q >= longest:
                longest = q
                k = i
        known = []
        latest = 0
        for r in range(k, m):
            end = ends[r]
            if r > k:
                j = jobs[r]
                if d[j] + p[j] > latest:
                    latest = d[j] + p[j]
            if end >= latest and (r == m - 1 or end < d[jobs[r + 1]]):
                parts = [((jobs[k],), end - longest)]
                if r > 0:
                    parts.append((jobs[:k] + jobs[k + 1 : r + 1], t))
                if r < m - 1:
                    parts.append((jobs[r + 1 :], end))
                known.append((0, parts))
        self.splits[key] = known
        return known
