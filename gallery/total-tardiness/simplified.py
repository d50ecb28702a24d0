"""Beam over sets of open blocks: the longest job of the largest block goes to each of its admissible places."""

from heapq import heappop, heappush

WIDTH = 6


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """Sequence of the last state: all its blocks are closed, that is in due date order."""
    n = len(due_dates)
    ids = sorted(range(n), key=lambda j: (due_dates[j], processing_times[j]))
    blocks = Blocks([processing_times[j] for j in ids], [due_dates[j] for j in ids])
    everything = (tuple(range(n)), 0)
    value, is_open = blocks.judge(*everything)
    # A state: its estimate, its open blocks, and its closed ones as a linked list.
    states = [(value, (everything,), None) if is_open else (value, (), (everything, None))]
    best, best_value = None, float("inf")
    while states:
        children: dict = {}
        for value, opened, closed in states:
            if not opened:
                if value < best_value:
                    best, best_value = closed, value
                continue
            block = max(opened, key=lambda b: len(b[0]))
            others = tuple([b for b in opened if b is not block])
            rest = value - blocks.judge(*block)[0]
            for parts in blocks.splits(*block):
                total, still, chain = rest, others, closed
                for part in parts:
                    cost, is_open = blocks.judge(*part)
                    total += cost
                    if is_open:
                        still += (part,)
                    else:
                        chain = (part, chain)
                if still not in children or total < children[still][0]:
                    children[still] = (total, still, chain)
        states = sorted(children.values(), key=lambda s: s[0])[:WIDTH]
    sequence = []
    while best is not None:
        block, best = best
        sequence.append(block)
    return [ids[j] for jobs, _ in sorted(sequence, key=lambda b: b[1]) for j in jobs]


class Blocks:
    """Blocks are tuples of jobs, numbered in due date order, with a start time."""

    def __init__(self, p: list[int], d: list[int]):
        self.p, self.d = p, d
        self.judged: dict = {}
        self.split: dict = {}

    def judge(self, jobs: tuple, t: int) -> tuple:
        """Total tardiness and whether the block is open; in due date order if at most one job is late then."""
        if (jobs, t) not in self.judged:
            time, late = t, []
            for j in jobs:
                time += self.p[j]
                if time > self.d[j]:
                    late.append(time - self.d[j])
            value = (sum(late), False) if len(late) < 2 else (self.estimate(jobs, t), True)
            self.judged[jobs, t] = value
        return self.judged[jobs, t]

    def estimate(self, jobs: tuple, t: int) -> int:
        """Total tardiness of the modified due date sequence, in one pass with a heap of the late jobs."""
        total = 0
        late: list = []
        for j in jobs:
            length, due = self.p[j], self.d[j]
            while late and t + length <= due and t + late[0][0] < due:
                first, date = heappop(late)
                t += first
                total += max(0, t - date)
            if t + length > due:
                heappush(late, (length, due))
            else:
                t += length
        for length, date in sorted(late):
            t += length
            total += max(0, t - date)
        return total

    def splits(self, jobs: tuple, t: int) -> list:
        """For each admissible place of the longest job: the job, the jobs before and those behind."""
        if (jobs, t) in self.split:
            return self.split[jobs, t]
        p, d, m = self.p, self.d, len(jobs)
        k = max(range(m), key=lambda i: (p[jobs[i]], i))
        end = t + sum([p[j] for j in jobs[:k]])
        passed, found = 0, []
        for r in range(k, m):
            end += p[jobs[r]]
            if r > k:
                passed = max(passed, d[jobs[r]] + p[jobs[r]])
            if end >= passed and (r == m - 1 or end < d[jobs[r + 1]]):
                parts = [
                    ((jobs[k],), end - p[jobs[k]]),
                    (jobs[:k] + jobs[k + 1 : r + 1], t),
                    (jobs[r + 1 :], end),
                ]
                found.append([part for part in parts if part[0]])
        self.split[jobs, t] = found
        return found
