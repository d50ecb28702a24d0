"""Count vectors rated by differencing, the best by swaps, the best of these by 2-exchanges and chains of three GPUs."""
import heapq
import math
import random
from bisect import bisect_left
from itertools import combinations

THETAS = (1.0, 0.95, 0.9, 0.8, 0.7, 0.6)
NEIGHBOURS = 14
TOP = 10
ADD_SHARE = 0.5
SWAPPED = 5
DEEP = 2
MAX_SWAPS = 60
MAX_DEEP = 50
ENOUGH = 0.5
CHAIN_GAIN = 0.00003
TARGET = 0.00015
SEED = 11


def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:
    n = len(loads)
    room = gpus * slots
    mean = max(sum(loads) / gpus, 1e-9)
    share = [x / mean for x in loads]
    goal = 1 + TARGET
    experts = range(n)

    def parts(count):
        return [share[e] / count[e] for e in experts] + [0.0]  # expert n is an empty slot

    def build(count):
        """Balanced differencing: list of (load, copies), fullest first."""
        part = parts(count)
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
            b = heap[0][2]
            c = [(x[0] + y[0], x[1] + y[1]) for x, y in zip(a, reversed(b))]
            c.sort(reverse=True)
            heapq.heapreplace(heap, (c[-1][0] - c[0][0], k, c))
        return heap[0][2]

    def swaps(plan, load, part):
        for _ in range(MAX_SWAPS):
            top = max(load)
            if top <= goal:
                break
            worst = load.index(top)
            lowest = top - 1e-9
            change = None
            own = [(i, part[e]) for i, e in enumerate(plan[worst])]
            for g in sorted(range(gpus), key=load.__getitem__):
                low = load[g]
                if (top + low) / 2 >= lowest:
                    break
                for j, f in enumerate(plan[g]):
                    pf = part[f]
                    lo = top - lowest + pf
                    hi = lowest - low + pf
                    for i, pe in own:
                        if lo < pe < hi:
                            v = max(top - pe + pf, low + pe - pf)
                            if v < lowest:
                                lowest = v
                                change = (i, g, j, pe - pf)
                                lo = top - lowest + pf
                                hi = lowest - low + pf
            if change is None:
                break
            i, g, j, less = change
            plan[worst][i], plan[g][j] = plan[g][j], plan[worst][i]
            load[worst] -= less
            load[g] += less

    def chain(plan, load, part):
        """Swaps of the fullest GPU with g and of g with h that leave all three below the largest load."""
        top = max(load)
        worst = load.index(top)
        lowest = top - CHAIN_GAIN
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
                    if not CHAIN_GAIN < less < most:
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

    def deep(plan, load, part):
        cache = {}

        def sums(g):
            if g not in cache:
                p = [part[e] for e in plan[g]]
                ones = sorted((x, (i,)) for i, x in enumerate(p))
                twos = []
                if slots > 3:
                    twos = sorted((p[i] + p[j], (i, j)) for i, j in combinations(range(slots), 2))
                cache[g] = ((ones, [x for x, _ in ones]), (twos, [x for x, _ in twos]))
            return cache[g]

        for _ in range(MAX_DEEP):
            top = max(load)
            if top <= goal:
                break
            worst = load.index(top)
            lowest = top - 1e-9
            change = None
            mine = sums(worst)
            for g in sorted(range(gpus), key=load.__getitem__):
                low = load[g]
                half = (top - low) / 2
                if low + half >= lowest:
                    break
                for (own, _), (other, keys) in zip(mine, sums(g)):
                    for s, a in own:
                        k = bisect_left(keys, s - half)
                        for q in (k - 1, k):
                            if 0 <= q < len(keys):
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
            else:
                g, a, b, less = change
                for i, j in zip(a, b):
                    plan[worst][i], plan[g][j] = plan[g][j], plan[worst][i]
                load[worst] -= less
                load[g] += less
                changed = (worst, g)
            for g in changed:
                cache.pop(g, None)

    pool = []
    seen = set()

    def rate(count):
        key = tuple(count)
        if sum(count) <= room and key not in seen:
            seen.add(key)
            rows = build(count)
            pool.append((rows[0][0], len(pool), count, rows))

    count = [1] * n
    heap = [(-x, e) for e, x in enumerate(share)]
    heapq.heapify(heap)
    for _ in range(room - n):
        e = heap[0][1]
        count[e] += 1
        heapq.heapreplace(heap, (-share[e] / count[e], e))
    rate(count)
    for theta in THETAS:
        rate([max(1, math.ceil(x / theta - 1e-9)) for x in share])
    rng = random.Random(SEED)
    for _ in range(NEIGHBOURS):
        base = min(pool)
        if base[0] <= goal:
            break
        count = base[2][:]
        donors = [e for e in experts if count[e] > 1]
        order = sorted(experts, key=lambda e: -share[e] / count[e])[:TOP]
        donor = None
        if donors and (sum(count) >= room or rng.random() >= ADD_SHARE):
            donor = rng.choice(donors)
            count[donor] -= 1
        taker = rng.choice(order)
        if taker != donor:
            count[taker] += 1
        rate(count)

    second = []
    for _, k, count, rows in sorted(pool)[:SWAPPED]:
        plan = [list(ids) for _, ids in rows]
        load = [x for x, _ in rows]
        part = parts(count)
        swaps(plan, load, part)
        second.append((max(load), k, plan, load, part))
    second.sort()
    best, best_plan = math.inf, None
    for value, _, plan, load, part in second[:DEEP]:
        deep(plan, load, part)
        if max(load) < best:
            best, best_plan = max(load), plan
        if best <= goal:
            break
    return [[e for e in row if e < n] for row in best_plan]
