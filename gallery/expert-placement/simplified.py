"""Copy counts rated by largest differencing; the best two plans improved by exchanges of 1 or 2 copies and by chains."""

import heapq
import math
import random
from bisect import bisect_left
from itertools import combinations

TRANSFERS = 14  # copies moved at random from one expert to another, each from the best counts so far
HEAVIEST = 10  # an expert may get a copy if its copies are among so many largest
POLISHED = 2  # plans that are improved
CHAIN_GAIN = 0.00003  # least gain of a chain, in mean loads of a GPU
TARGET = 0.00015  # good enough, in mean loads of a GPU above the mean
SEED = 11


def place(loads: list[int], gpus: int, slots: int, groups: int, nodes: int) -> list[list[int]]:
    """The experts of each GPU."""
    room = gpus * slots
    mean = max(sum(loads) / gpus, 1e-9)
    share = [load / mean for load in loads]
    pool = []

    def rate(copies):
        if sum(copies) <= room and all(copies != other for _, other, _ in pool):
            plan = differencing(share, copies, gpus, slots)
            pool.append((max(plan)[0], copies, plan))

    rate(greedy_copies(share, room))
    rate([max(1, math.ceil(x - 1e-9)) for x in share])  # as few as fit a GPU; slots may stay empty
    rng = random.Random(SEED)
    for _ in range(TRANSFERS):
        copies = list(min(pool)[1])
        donors = [e for e, count in enumerate(copies) if count > 1]
        if not donors:
            break
        heaviest = sorted(range(len(loads)), key=lambda e: -share[e] / copies[e])[:HEAVIEST]
        copies[rng.choice(donors)] -= 1
        copies[rng.choice(heaviest)] += 1
        rate(copies)
    polished = [improved(share, copies, plan) for _, copies, plan in sorted(pool)[:POLISHED]]
    return [[e for e in experts if e < len(loads)] for experts in min(polished)[1]]


def greedy_copies(share, room):
    """One copy after another to the expert with the largest load of a copy (EPLB)."""
    copies = [1] * len(share)
    heap = [(-x, e) for e, x in enumerate(share)]
    heapq.heapify(heap)
    for _ in range(room - len(share)):
        e = heap[0][1]
        copies[e] += 1
        heapq.heapreplace(heap, (-share[e] / copies[e], e))
    return copies


def differencing(share, copies, gpus, slots):
    """Balanced largest differencing: (load, copies) of each GPU; expert len(share) is an empty slot."""
    items = sorted(((share[e] / k, (e,)) for e, k in enumerate(copies) for _ in range(k)), reverse=True)
    items += [(0.0, (len(share),))] * (gpus * slots - len(items))
    layers = [items[start : start + gpus] for start in range(0, gpus * slots, gpus)]
    heap = [(layer[-1][0] - layer[0][0], k, layer) for k, layer in enumerate(layers)]
    heapq.heapify(heap)
    while len(heap) > 1:
        _, k, one = heapq.heappop(heap)
        other = heap[0][2]
        both = sorted(((x[0] + y[0], x[1] + y[1]) for x, y in zip(one, reversed(other))), reverse=True)
        heapq.heapreplace(heap, (both[-1][0] - both[0][0], k, both))
    return heap[0][2]


def improved(share, copies, plan):
    """The largest load and the plan after exchanges with the fullest GPU, and chains where none helps."""
    part = [x / k for x, k in zip(share, copies)] + [0.0]
    load = [x for x, _ in plan]
    plan = [list(experts) for _, experts in plan]
    sums = {}  # GPU: its single copies and its pairs of copies, sorted by load
    while max(load) > 1 + TARGET:
        for g, experts in enumerate(plan):
            if g not in sums:
                sums[g] = [
                    sorted(
                        (sum(part[experts[i]] for i in places), places)
                        for places in combinations(range(len(experts)), k)
                    )
                    for k in (1, 2)
                ]
        changed = exchange(plan, load, sums) or chain(plan, load, part)
        if not changed:
            break
        for g in changed:
            load[g] = sum(part[e] for e in plan[g])
            del sums[g]
    return max(load), plan


def exchange(plan, load, sums):
    """Exchanges one or two copies of the fullest GPU with another one, so that the larger load falls most."""
    top = max(load)
    worst = load.index(top)
    lowest, change = top - 1e-9, None
    for g in sorted(range(len(load)), key=load.__getitem__):
        half = (top - load[g]) / 2
        if top - half >= lowest:
            break
        for own, other in zip(sums[worst], sums[g]):
            for x, mine in own:
                k = bisect_left(other, (x - half,))
                for y, theirs in other[max(0, k - 1) : k + 1]:
                    value = max(top - x + y, load[g] + x - y)
                    if value < lowest:
                        lowest, change = value, (g, mine, theirs)
    if change is None:
        return None
    g, mine, theirs = change
    for i, j in zip(mine, theirs):
        plan[worst][i], plan[g][j] = plan[g][j], plan[worst][i]
    return worst, g


def chain(plan, load, part):
    """Swaps a copy of the fullest GPU with g, and one of g with h, so that all three end below the largest load."""
    top = max(load)
    worst = load.index(top)
    limit = top - CHAIN_GAIN
    order = sorted((g for g in range(len(load)) if g != worst), key=load.__getitem__)
    most = limit - load[order[0]]
    for g in order:
        for j, f in enumerate(plan[g]):
            for i, e in enumerate(plan[worst]):
                less = part[e] - part[f]
                need = load[g] + less - limit
                if not CHAIN_GAIN < less or need >= most:
                    continue
                middle = plan[g][:j] + [e] + plan[g][j + 1 :]
                for h in order:
                    can = limit - load[h]
                    if can <= need:
                        break
                    for k, q in enumerate(plan[h]):
                        for m, p in enumerate(middle):
                            if h != g and need < part[p] - part[q] < can:
                                plan[worst][i], plan[g][j] = f, e
                                plan[g][m], plan[h][k] = q, p
                                return worst, g, h
    return None
