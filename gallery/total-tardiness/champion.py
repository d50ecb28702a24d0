"""Lawler's decomposition as limited discrepancy search with memo, bound and a work budget."""

from heapq import heappop, heappush
from itertools import count

WORK = 300_000


def schedule(processing_times: list[int], due_dates: list[int]) -> list[int]:
    """More and more departures from the estimated best place, until proven or out of work."""
    n = len(due_dates)
    ids = sorted(range(n), key=lambda j: (due_dates[j], processing_times[j]))
    p = [processing_times[j] for j in ids]
    d = [due_dates[j] for j in ids]
    search = Search(p, d)
    for allowed in count():
        _, order, proven = search.solve(tuple(range(n)), 0, allowed)
        if proven or search.work <= 0:
            return [ids[j] for j in order]


class Search:
    """Blocks of jobs (indices in due date order) and what is known of them."""

    def __init__(self, p: list[int], d: list[int]):
        self.p = p
        self.d = d
        self.work = WORK
        self.memo: dict = {}
        self.estimates: dict = {}

    def solve(self, jobs: tuple, t: int, allowed: int) -> tuple:
        """Total tardiness, sequence, and whether it is proven to be optimal."""
        m = len(jobs)
        p, d = self.p, self.d
        key = (jobs, t)
        known = self.memo.get(key)
        if known is not None and (known[1][2] or known[0] >= allowed or self.work <= 0):
            return known[1]
        self.work -= m
        ends = []
        time = t
        tardy = total = longest = k = 0
        for i, j in enumerate(jobs):
            q = p[j]
            time += q
            ends.append(time)
            if q >= longest:
                longest = q
                k = i
            if time > d[j]:
                tardy += 1
                total += time - d[j]
        if tardy <= 1:
            result = (total, jobs, True)
            self.memo[key] = (allowed, result)
            return result
        chosen = jobs[k]
        due = d[chosen]
        places = []
        latest = 0
        for r in range(k, m):
            end = ends[r]
            if r > k:
                j = jobs[r]
                if d[j] + p[j] > latest:
                    latest = d[j] + p[j]
            if end >= latest and (r == m - 1 or end < d[jobs[r + 1]]):
                places.append(r)
        ranked = []
        for r in places:
            end = ends[r]
            left = jobs[:k] + jobs[k + 1 : r + 1]
            right = jobs[r + 1 :]
            own = max(0, end - due)
            value = own
            if len(places) > 1:
                value += self.estimate(left, t) + self.estimate(right, end)
            ranked.append((value, r, own, left, right))
        ranked.sort()
        result = known[1] if known is not None else None
        proven = True
        for rank, (value, r, own, left, right) in enumerate(ranked):
            end = ends[r]
            behind = 0
            if result is not None:
                # Too bad in any case: the place is out, and nothing is lost by that.
                behind = self.bound(right, end)
                if own + behind >= result[0] or own + behind + self.bound(left, t) >= result[0]:
                    continue
                if rank > allowed or self.work <= 0:
                    proven = False
                    continue
            first = self.solve(left, t, max(0, allowed - rank))
            if result is not None and own + first[0] + behind >= result[0]:
                proven = proven and first[2]
                continue
            second = self.solve(right, end, max(0, allowed - rank))
            proven = proven and first[2] and second[2]
            value = first[0] + own + second[0]
            if result is None or value < result[0]:
                result = (value, first[1] + (chosen,) + second[1], False)
        result = (result[0], result[1], proven)
        self.memo[key] = (allowed, result)
        return result

    def bound(self, jobs: tuple, t: int) -> int:
        """Sorted shortest completions against sorted due dates; the value itself if it is proven."""
        known = self.memo.get((jobs, t))
        if known is not None and known[1][2]:
            return known[1][0]
        self.work -= len(jobs) // 2
        d = self.d
        total = 0
        for q, j in zip(sorted([self.p[j] for j in jobs]), jobs):
            t += q
            if t > d[j]:
                total += t - d[j]
        return total

    def estimate(self, jobs: tuple, t: int) -> int:
        """Total tardiness by the modified due date rule, or what has been found."""
        key = (jobs, t)
        known = self.memo.get(key)
        if known is not None:
            return known[1][0]
        total = self.estimates.get(key)
        if total is not None:
            return total
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
        self.estimates[key] = total
        return total
