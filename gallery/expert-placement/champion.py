"""Many copy-count vectors rated by balanced largest differencing; the best are polished by 1- and 2-exchanges."""
import heapq
import math
import random
from bisect import bisect_left
from itertools import combinations

THETAS = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6)
NEIGHBOURS = 14
TOP = 10
ADD_SHARE = 0.5
POLISH = 2
MAX_STEPS = 90
TRIALS = 12
SAMPLES = 5
WORTH = 0.001
WORST_SHARE = 0.5
EMPTY_SHARE = 0.1
CHAIN_GAIN = 0.00003
ENOUGH = 0.4603
TARGET = 0.0001394
SEED = 11


def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:
    n = len(loads)
    room = gpus * slots
    mean = sum(loads) / gpus
    goal = mean * (1 + TARGET)
    eps = 1e-9 * mean + 1e-9
    experts = range(n)

    def build(count):
        """Balanced differencing: list of (load, copies), fullest first."""
        part = [loads[e] / count[e] for e in experts]
        items = []
        for e in sorted(experts, key=part.__getitem__, reverse=True):
            items.extend([(part[e], (e,))] * count[e])
        items.extend([(0.0, (n,))] * (room - len(items)))
        heap = []
        for k in range(slots):
            layer = items[k * gpus:(k + 1) * gpus]
            heap.append((layer[-1][0] - layer[0][0], k, layer))
        heapq.heapify(heap)
        while len(heap) > 1:
            _, k, a = heapq.heappop(heap)
            _, _, b = heap[0]
            c = [(x[0] + y[0], x[1] + y[1]) for x, y in zip(a, reversed(b))]
            c.sort(reverse=True)
            heapq.heapreplace(heap, (c[-1][0] - c[0][0], k, c))
        return heap[0][2]

    def chain(plan, load, part):
        """Swaps of the fullest GPU with g and of g with h that leave all three below the largest load."""
        top = max(load)
        worst = load.index(top)
        lowest = top - CHAIN_GAIN * mean
        order = sorted(range(gpus), key=load.__getitem__)
        spare = lowest - load[order[0]]
        own = [(i, part[e]) for i, e in enumerate(plan[worst])]
        for g in order:
            if g == worst:
                continue
            low = load[g]
            most = lowest + spare - low
            for j, f in enumerate(plan[g]):
                for i, pe in own:
                    less = pe - part[f]
                    if not top - lowest < less < most:
                        continue
                    need = low + less - lowest
                    mid = [part[p] for p in plan[g]]
                    mid[j] = pe
                    for h in order:
                        can = lowest - load[h]
                        if can <= need:
                            break
                        if h == g or h == worst:
                            continue
                        for k, q in enumerate(plan[h]):
                            pq = part[q]
                            for m, p in enumerate(mid):
                                if need < p - pq < can:
                                    plan[worst][i], plan[g][j] = plan[g][j], plan[worst][i]
                                    plan[g][m], plan[h][k] = plan[h][k], plan[g][m]
                                    load[worst] -= less
                                    load[g] += less - (p - pq)
                                    load[h] += p - pq
                                    return worst, g, h
        return None

    def polish(count, plan):
        part = [loads[e] / count[e] for e in experts] + [0.0]
        load = [sum([part[e] for e in row]) for row in plan]
        cache = [None] * gpus

        def sums(g):
            if cache[g] is None:
                p = [part[e] for e in plan[g]]
                ones = sorted((x, (i,)) for i, x in enumerate(p))
                twos = sorted((p[i] + p[j], (i, j)) for i, j in combinations(range(slots), 2))
                cache[g] = [(ones, [x for x, _ in ones]), (twos, [x for x, _ in twos])]
            return cache[g]

        for _ in range(MAX_STEPS):
            top = max(load)
            if top <= goal:
                break
            worst = load.index(top)
            lowest = top - eps
            change = None
            mine = sums(worst)
            for g in sorted(range(gpus), key=load.__getitem__):
                low = load[g]
                half = (top - low) / 2
                if low + half >= lowest:
                    break
                for (own, _), (other, keys) in zip(mine, sums(g)):
                    size = len(keys)
                    for s, a in own:
                        k = bisect_left(keys, s - half)
                        for q in (k - 1, k):
                            if 0 <= q < size:
                                less = s - keys[q]
                                v = max(top - less, low + less)
                                if v < lowest:
                                    lowest = v
                                    change = (g, a, other[q][1], less)
                if change is not None and top - lowest >= ENOUGH * half:
                    break
            if change is None:
                changed = chain(plan, load, part)
                if changed is None:
                    break
                for g in changed:
                    cache[g] = None
                continue
            g, a, b, less = change
            for i, j in zip(a, b):
                plan[worst][i], plan[g][j] = plan[g][j], plan[worst][i]
            load[worst] -= less
            load[g] += less
            cache[worst] = cache[g] = None
        return max(load), plan, load, part

    # vectors of copy counts
    count = [1] * n
    heap = [(-loads[e], e) for e in experts]
    heapq.heapify(heap)
    for _ in range(room - n):
        e = heap[0][1]
        count[e] += 1
        heapq.heapreplace(heap, (-loads[e] / count[e], e))
    seen = {tuple(count)}
    rows = build(count)
    pool = [(rows[0][0], 0, count, rows)]

    def rate(count):
        key = tuple(count)
        if key not in seen:
            seen.add(key)
            rows = build(count)
            pool.append((rows[0][0], len(pool), count, rows))

    for theta in THETAS:
        size = theta * mean
        if size > 0:
            count = [max(1, math.ceil(x / size - 1e-9)) for x in loads]
            if sum(count) <= room:
                rate(count)
    rng = random.Random(SEED)
    for _ in range(NEIGHBOURS):
        base = min(pool)
        if base[0] <= goal:
            break
        count = base[2][:]
        donors = [e for e in experts if count[e] > 1]
        order = sorted(experts, key=lambda e: -loads[e] / count[e])[:TOP]
        if room > sum(count) and (not donors or rng.random() < ADD_SHARE):
            count[rng.choice(order)] += 1
        elif donors:
            d = rng.choice(donors)
            r = rng.choice(order)
            count[d] -= 1
            if r != d:
                count[r] += 1
        rate(count)
    best = None
    for _, _, count, rows in sorted(pool)[:POLISH]:
        result = polish(count, [list(ids) for _, ids in rows])
        if best is None or result[0] < best[0]:
            best, best_count = result, count
        if best[0] <= goal:
            break
    # one slot of the best plan gets another expert
    for _ in range(TRIALS):
        value, plan, load, part = best
        if value <= mean * (1 + WORTH):
            break
        full = plan[load.index(max(load))]
        large = sorted(experts, key=part.__getitem__, reverse=True)[:TOP]
        places = [(g, j) for g, row in enumerate(plan) for j, e in enumerate(row) if e == n or best_count[e] > 1]
        if not places:
            break
        pick = None
        for _ in range(SAMPLES):
            new = n if rng.random() < EMPTY_SHARE else rng.choice(full if rng.random() < WORST_SHARE else large)
            g, j = rng.choice(places)
            old = plan[g][j]
            if new == old:
                continue
            less = loads[old] / (best_count[old] - 1) if old < n else 0.0
            more = loads[new] / (best_count[new] + 1) if new < n else 0.0
            total = 0.0
            for h, row in enumerate(plan):
                x = load[h] - mean
                if old in row:
                    x += row.count(old) * (less - part[old])
                if new in row:
                    x += row.count(new) * (more - part[new])
                if h == g:
                    x += more - less
                total += x * x
            if pick is None or total < pick[0]:
                pick = (total, g, j, old, new)
        if pick is None:
            continue
        _, g, j, old, new = pick
        count = best_count[:]
        if old < n:
            count[old] -= 1
        if new < n:
            count[new] += 1
        plan = [row[:] for row in plan]
        plan[g][j] = new
        result = polish(count, plan)
        if result[0] <= value:
            best, best_count = result, count
    return [[e for e in row if e < n] for row in best[1]]
