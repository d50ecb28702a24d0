"""Large-neighbourhood search: regroup the devices and the sequences of a few groups."""

import heapq
import random

SEED = 1
STEPS = 500
FEWEST = 1
MOST = 5
TIGHTEST = 0.9
LOOSEST = 1.03
AREA_WEIGHT = 0.5
SQUARE_WEIGHT = 0.1
TARGETS = (1.0, 1.05, 1.12, 1.25, 1.5)
SKEWS = (0.0, 0.2)
EXTRA_PARTS = 1


def plan(devices, capacity, overhead, degrees, lengths, times):
    n = len(lengths)
    room = [d * capacity for d in degrees]
    order = sorted(range(n), key=lambda k: (-lengths[k], k))
    area = sum(min(d * t for d, t in zip(degrees, times[k]) if t) for k in range(n))
    parts = max(1, -(-sum(lengths) // (devices * capacity)))
    last = n
    best, least, width = None, None, 0
    while parts <= last:
        hit = False
        for base in range(len(degrees)):
            for skew in SKEWS:
                for factor in TARGETS:
                    mean = factor * area / (devices * parts)
                    limits = [mean * (1 + skew * (parts - 1 - 2 * m) / parts) for m in range(parts)]
                    groups = build(order, limits, base, [devices] * parts, room, degrees, lengths, times)
                    if groups is not None:
                        hit = True
                        total = sum(tops(groups, parts)) + overhead * parts
                        if least is None or total < least:
                            best, least, width = groups, total, parts
            if hit:
                break
        if hit and last == n:
            last = min(n, parts + EXTRA_PARTS)
        parts += 1
    if best is None:
        return [
            [(degrees[j], [k])]
            for k in range(n)
            for j in [min((j for j in range(len(degrees)) if times[k][j] and lengths[k] <= room[j]), key=lambda j: times[k][j])]
        ]
    groups = search(best, width, devices, room, degrees, lengths, times)
    answer = [[(degrees[g[1]], g[4]) for g in groups if g[0] == m and g[4]] for m in range(width)]
    return [a for a in answer if a]


def tops(groups, parts):
    top = [0] * parts
    for g in groups:
        if g[2] > top[g[0]]:
            top[g[0]] = g[2]
    return top


def value(groups, parts, devices, degrees):
    """Sum of spans, plus a share of the device time, plus a share of the unevenness."""
    top = tops(groups, parts)
    area = sum(degrees[g[1]] * g[2] for g in groups) / devices
    square = sum(degrees[g[1]] * g[2] * g[2] / (top[g[0]] or 1) for g in groups) / devices
    return sum(top) + AREA_WEIGHT * area + SQUARE_WEIGHT * square, sum(top)


def search(groups, parts, devices, room, degrees, lengths, times):
    rng = random.Random(SEED)
    now, span = value(groups, parts, devices, degrees)
    best, least = groups, span
    for step in range(STEPS):
        m = rng.randrange(parts)
        mine = [i for i, g in enumerate(groups) if g[0] == m]
        if step % 3:
            first = max(mine, key=lambda i: groups[i][2])
        else:
            first = max(mine, key=lambda i: (groups[i][1], rng.random()))
        picked = {first}
        for _ in range(rng.randint(FEWEST, MOST)):
            picked.add(rng.randrange(len(groups)))
        kept = [g for i, g in enumerate(groups) if i not in picked]
        free = [0] * parts
        pool = []
        for i in picked:
            g = groups[i]
            free[g[0]] += degrees[g[1]]
            pool.extend(g[4])
        if not pool:
            continue
        old = tops(groups, parts)
        rest = tops(kept, parts)
        limits = [max(rest[i], old[i] * rng.uniform(TIGHTEST, LOOSEST)) for i in range(parts)]
        pool.sort(key=lambda k: (-lengths[k], k))
        base = 0 if rng.random() < 0.8 else rng.randrange(min(3, len(degrees)))
        fresh = build(pool, limits, base, free, room, degrees, lengths, times)
        if fresh is None:
            continue
        trial = kept + fresh
        new, span = value(trial, parts, devices, degrees)
        if new <= now:
            groups, now = trial, new
            if span < least:
                best, least = trial, span
    return best


def build(order, limits, base, devices, room, degrees, lengths, times):
    """Groups [microbatch, j, load, tokens, members] on the free devices of each microbatch, or None."""
    parts = len(limits)
    free = list(devices)
    groups = []
    small = []
    biggest = max(limits)
    for k in order:
        row, size = times[k], lengths[k]
        fits = [j for j in range(base, len(degrees)) if row[j] and size <= room[j]]
        if not fits:
            return None
        need = next((j for j in fits if row[j] <= biggest), min(fits, key=lambda j: row[j]))
        if need <= base:
            small.append(k)
            continue
        pick, slack = None, None
        for g in groups:
            j = g[1]
            if j >= need and g[3] + size <= room[j]:
                s = limits[g[0]] - g[2] - row[j]
                if s >= 0 and (slack is None or s < slack):
                    pick, slack = g, s
        if pick is None:
            for m in range(parts):
                j = need
                while j < len(degrees) and row[j] > limits[m]:
                    j += 1
                if j == len(degrees):
                    j = need
                while j > need and free[m] < degrees[j]:
                    j -= 1
                if free[m] >= degrees[j]:
                    waste = (max(0.0, row[j] - limits[m]), j - need, m)
                    if slack is None or waste < slack:
                        pick, slack = (m, j), waste
            if pick is not None:
                m, j = pick
                free[m] -= degrees[j]
                pick = [m, j, 0, 0, []]
                groups.append(pick)
        if pick is None:
            for g in groups:
                j = g[1]
                if row[j] and g[3] + size <= room[j]:
                    s = g[2] + row[j] - limits[g[0]]
                    if slack is None or s < slack:
                        pick, slack = g, s
        if pick is None:
            return None
        pick[2] += row[pick[1]]
        pick[3] += size
        pick[4].append(k)
    for m in range(parts):
        j = base
        while free[m] > 0 and j >= 0:
            if free[m] >= degrees[j]:
                free[m] -= degrees[j]
                groups.append([m, j, 0, 0, []])
            else:
                j -= 1
    heap = [(g[2] - limits[g[0]], i) for i, g in enumerate(groups)]
    heapq.heapify(heap)
    for k in small:
        size, row = lengths[k], times[k]
        aside = []
        while heap:
            key, i = heapq.heappop(heap)
            g = groups[i]
            if g[3] + size <= room[g[1]] and row[g[1]]:
                g[2] += row[g[1]]
                g[3] += size
                g[4].append(k)
                heapq.heappush(heap, (g[2] - limits[g[0]], i))
                break
            aside.append((key, i))
        else:
            return None
        for entry in aside:
            heapq.heappush(heap, entry)
    return groups
