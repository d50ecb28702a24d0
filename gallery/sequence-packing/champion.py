"""Coarse to fine: the layout and the spans are searched with the short sequences as a fluid, then all in detail."""

import heapq
import random

TARGETS = (1.0, 1.05, 1.1, 1.2, 1.35, 1.6)
BLENDS = (0.0, 0.5, 1.0)
TRIES = 2
RATIOS = (1.12, 1.3, 1.55)
DUST = 0.04565
RACERS = 8
COARSE_STEPS = 130
FINALISTS = 3
FINE_STEPS = 300
REHEAT = 0.5
ROUNDS = 25
SEED = 1
THRESHOLD = 0.002083
FEWEST = 1
MOST = 5
TIGHTEST = 0.6839
LOOSEST = 0.9725
AREA_FIRST = 1.679
AREA_LAST = 0.2373
SQUARE_FIRST = 0.1781
SQUARE_LAST = 0.0
SWAP_SIZE = 40


def plan(devices, capacity, overhead, degrees, lengths, times):
    n = len(lengths)
    room = [d * capacity for d in degrees]
    ranks = {k: r for r, k in enumerate(sorted(range(n), key=lambda k: (-lengths[k], k)))}
    cost = [min(d * t for d, t in zip(degrees, times[k]) if t) for k in range(n)]
    found = []
    for blend in BLENDS:
        order = sorted(range(n), key=lambda k: (blend * ranks[k] + (1 - blend) * k, k))
        for weights in (lengths, cost):
            tries = 0
            parts = max(1, -(-sum(lengths) // (devices * capacity)))
            while tries < TRIES and parts <= n:
                step = []
                for chunk in cut(order, parts, weights):
                    groups = mix(sorted(chunk, key=lambda k: (-lengths[k], k)), cost, devices, room, degrees, lengths, times)
                    if groups is None:
                        break
                    step.append(groups)
                else:
                    tries += 1
                    total = sum(overhead + max(g[2] for g in groups) for groups in step)
                    found.append((total, len(found), step, (blend, weights is cost)))
                parts += 1
    if not found:
        return [
            [(degrees[j], [k])]
            for k in range(n)
            for j in [min((j for j in range(len(degrees)) if times[k][j] and lengths[k] <= room[j]), key=lambda j: times[k][j])]
        ]
    found.sort(key=lambda f: (f[0], f[1]))
    starts = [(t, i, [[m, *g[1:]] for m, p in enumerate(s) for g in p], len(s), kind) for t, i, s, kind in found]
    parts = min(s[3] for s in starts)
    order = sorted(range(n), key=lambda k: (-lengths[k], k))
    for ratio in RATIOS if parts > 1 else ():
        weights = [ratio**-m for m in range(parts)]
        for factor in TARGETS:
            limits = [factor * w / sum(weights) * sum(cost) / devices for w in weights]
            groups = regroup(order, limits, 0, [devices] * parts, room, degrees, lengths, times)
            if groups is not None:
                starts.append((sum(tops(groups, parts)) + overhead * parts, len(starts), groups, parts, ratio))
    starts.sort(key=lambda s: s[:2])
    dust, tail = [], 0
    for k in sorted(range(n), key=lambda k: (cost[k], k)):
        tail += cost[k]
        if tail > DUST * sum(cost):
            break
        dust.append(k)
    tokens = sum(lengths[k] for k in dust) or 1
    fluid = (sum(cost[k] for k in dust), [sum(times[k][j] for k in dust) / tokens for j in range(len(degrees))])
    fine = set(dust)
    dust.sort(key=lambda k: (-lengths[k], k))
    racers, kinds = [], set()
    for total, _, whole, parts, kind in starts:
        if kind in kinds or len(racers) >= RACERS:
            continue
        kinds.add(kind)
        core = []
        for m, j, _, _, members in whole:
            rest = [k for k in members if k not in fine]
            core.append([m, j, sum(times[k][j] for k in rest), sum(lengths[k] for k in rest), rest])
        core = search(core, parts, devices, room, degrees, lengths, times, COARSE_STEPS, 1.0, fluid)
        groups = settle(core, parts, dust, devices, room, degrees, lengths, times, fluid)
        if groups is None:
            groups = whole
        racers.append((sum(tops(groups, parts)) + overhead * parts, len(racers), groups, parts))
    racers.sort(key=lambda r: r[:2])
    best, least = None, None
    for _, _, groups, parts in racers[:FINALISTS]:
        groups = search(groups, parts, devices, room, degrees, lengths, times, FINE_STEPS, REHEAT, None)
        groups = [[*g[:4], list(g[4])] for g in groups]
        polish(groups, parts, room, degrees, lengths, times, ROUNDS)
        total = sum(tops(groups, parts)) + overhead * parts
        if least is None or total < least:
            least = total
            best = [[(degrees[g[1]], g[4]) for g in groups if g[0] == m and g[4]] for m in range(parts)]
    return [part for part in best if part]


def lift(groups, top, parts, devices, room, degrees, fluid):
    """How much all spans rise when the fluid has filled the gaps of the groups in time and tokens."""
    left, rates = fluid
    for m, j, load, tokens, _ in groups:
        gap, fits = top[m] - load, (room[j] - tokens) * rates[j]
        left -= degrees[j] * (gap if gap < fits else fits)
    return left / (devices * parts) if left > 0 else 0.0


def settle(groups, parts, dust, devices, room, degrees, lengths, times, fluid):
    """The short sequences, longest first, to the groups of most slack; or None."""
    top = tops(groups, parts)
    groups = [[*g[:4], list(g[4])] for g in groups]
    heap = [(g[2] - top[g[0]], i) for i, g in enumerate(groups)]
    heapq.heapify(heap)
    for k in dust:
        aside = []
        while heap:
            key, i = heapq.heappop(heap)
            g = groups[i]
            if times[k][g[1]] and g[3] + lengths[k] <= room[g[1]]:
                g[2] += times[k][g[1]]
                g[3] += lengths[k]
                g[4].append(k)
                heapq.heappush(heap, (g[2] - top[g[0]], i))
                break
            aside.append((key, i))
        else:
            return None
        for entry in aside:
            heapq.heappush(heap, entry)
    return groups


def cut(order, parts, weights):
    """Consecutive parts of about equal weight; none is empty."""
    total = sum(weights)
    chunks = [[] for _ in range(parts)]
    done = 0
    for k in order:
        chunks[min(parts - 1, (2 * done + weights[k]) * parts // (2 * total))].append(k)
        done += weights[k]
    return [chunk for chunk in chunks if chunk]


def mix(chunk, cost, devices, room, degrees, lengths, times):
    """The best microbatch over target times and smallest degrees."""
    if sum(lengths[k] for k in chunk) > devices * (room[0] // degrees[0]):
        return None
    area = sum(cost[k] for k in chunk) / devices
    best, least = None, None
    for base in range(len(degrees)):
        for factor in TARGETS:
            groups = build(chunk, factor * area, base, devices, room, degrees, lengths, times)
            if groups is not None:
                span = max(g[2] for g in groups)
                if least is None or span < least:
                    best, least = groups, span
        if base and best is not None:
            break
    return best


def build(chunk, limit, base, devices, room, degrees, lengths, times):
    """Groups [microbatch, j, load, tokens, members], or None."""
    free = devices
    groups = []
    small = []
    for k in chunk:
        row, size = times[k], lengths[k]
        fits = [j for j in range(base, len(degrees)) if row[j] and size <= room[j]]
        if not fits:
            return None
        need = next((j for j in fits if row[j] <= limit), min(fits, key=lambda j: row[j]))
        if need == base:
            small.append(k)
            continue
        options = [g for g in groups if g[1] >= need and g[3] + size <= room[g[1]] and g[2] + row[g[1]] <= limit]
        if options:
            pick = max(options, key=lambda g: g[2] + row[g[1]])
        elif free >= degrees[need]:
            pick = [0, need, 0, 0, []]
            free -= degrees[need]
            groups.append(pick)
        else:
            options = [g for g in groups if row[g[1]] and g[3] + size <= room[g[1]]]
            if not options:
                return None
            pick = min(options, key=lambda g: g[2] + row[g[1]])
        pick[2] += row[pick[1]]
        pick[3] += size
        pick[4].append(k)
    while free >= degrees[base]:
        free -= degrees[base]
        groups.append([0, base, 0, 0, []])
    heap = [(g[2], i) for i, g in enumerate(groups)]
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
                heapq.heappush(heap, (g[2], i))
                break
            aside.append((key, i))
        else:
            return None
        for entry in aside:
            heapq.heappush(heap, entry)
    return groups


def tops(groups, parts):
    """Span of each microbatch."""
    top = [0] * parts
    for g in groups:
        if g[2] > top[g[0]]:
            top[g[0]] = g[2]
    return top


def search(groups, parts, devices, room, degrees, lengths, times, steps, heat, fluid):
    """Regroups the devices and sequences of a slowest (or largest) group and a few others."""
    rng = random.Random(SEED + steps)
    draw = rng.random
    old = now = None
    best, least = groups, None
    for step in range(-1, steps):
        picked = set()
        if step >= 0:
            m = int(draw() * parts)
            which = 2 if step % 3 else 1
            first, most = -1, -1.0
            for i, g in enumerate(groups):
                if g[0] == m:
                    rank = g[which] + draw() if which == 1 else g[2]
                    if rank > most:
                        first, most = i, rank
            picked.add(first)
            for _ in range(rng.randint(FEWEST, MOST)):
                picked.add(int(draw() * len(groups)))
        kept, pool, free = [], [], [0] * parts
        top, square, area = [0] * parts, [0.0] * parts, 0
        for i, g in enumerate(groups):
            m, load, d = g[0], g[2], degrees[g[1]]
            if i in picked:
                free[m] += d
                pool += g[4]
            else:
                kept.append(g)
                area += d * load
                square[m] += d * load * load
                if load > top[m]:
                    top[m] = load
        if step < 0:
            rise = lift(groups, top, parts, devices, room, degrees, fluid) if fluid else 0.0
            old = [t + rise for t in top]
            even = 0.0 if fluid else sum(s / t for s, t in zip(square, top) if t) / devices
            now = sum(old), area / devices, even
            least = now[0]
            continue
        if not pool:
            continue
        limits = [max(t, o * (TIGHTEST + (LOOSEST - TIGHTEST) * draw())) for t, o in zip(top, old)]
        pool.sort(key=lambda k: (-lengths[k], k))
        base = 0 if draw() < 0.8 else int(draw() * min(3, len(degrees)))
        fresh = regroup(pool, limits, base, free, room, degrees, lengths, times)
        if fresh is None:
            continue
        for m, j, load, _, _ in fresh:
            d = degrees[j]
            area += d * load
            square[m] += d * load * load
            if load > top[m]:
                top[m] = load
        square = sum(s / t for s, t in zip(square, top) if t) / devices
        trial = kept + fresh
        if fluid:
            rise = lift(trial, top, parts, devices, room, degrees, fluid)
            top = [t + rise for t in top]
            square = 0.0
        new = sum(top), area / devices, square
        done = 1 - heat * (1 - step / steps)
        rise = new[0] - now[0]
        rise += (AREA_FIRST + (AREA_LAST - AREA_FIRST) * done) * (new[1] - now[1])
        rise += (SQUARE_FIRST + (SQUARE_LAST - SQUARE_FIRST) * done) * (new[2] - now[2])
        if rise <= THRESHOLD * (1 - done) * draw() * least:
            groups, now, old = trial, new, top
            if new[0] < least:
                best, least = groups, new[0]
    return best


def regroup(order, limits, base, devices, room, degrees, lengths, times):
    """Groups [microbatch, j, load, tokens, members] on the free devices of each microbatch, or None."""
    parts = len(limits)
    free = list(devices)
    groups = []
    small = []
    biggest = max(limits)
    for k in order:
        row, size = times[k], lengths[k]
        if 0 < row[base] <= biggest and size <= room[base]:
            small.append(k)
            continue
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
        if not heap:
            return None
        size, row = lengths[k], times[k]
        key, i = heap[0]
        g = groups[i]
        time = row[g[1]]
        if time and g[3] + size <= room[g[1]]:
            g[2] += time
            g[3] += size
            g[4].append(k)
            heapq.heapreplace(heap, (key + time, i))
            continue
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


def polish(groups, parts, room, degrees, lengths, times, rounds):
    """Moves and swaps out of the slowest group of a microbatch while the sum of the spans falls."""
    size = len(groups)

    def spans():
        top = [0] * parts
        second = [0] * parts
        who = [-1] * parts
        for i in range(size):
            g = groups[i]
            m, load = g[0], g[2]
            if load > top[m]:
                second[m] = top[m]
                top[m] = load
                who[m] = i
            elif load > second[m]:
                second[m] = load
        return top, second, who

    stuck = set()
    for _ in range(rounds):
        top, second, who = spans()
        todo = [m for m in range(parts) if m not in stuck and who[m] >= 0]
        if not todo:
            break
        m = max(todo, key=lambda i: top[i])
        a = groups[who[m]]
        ja, la, ta = a[1], a[2], a[3]
        best = None
        for i in range(size):
            b = groups[i]
            if b is a:
                continue
            mb, jb, lb, tb = b[0], b[1], b[2], b[3]
            same = mb == m
            freea, freeb = room[ja] - ta, room[jb] - tb
            for k in a[4]:
                if not times[k][jb]:
                    continue
                out, into, lk = times[k][ja], times[k][jb], lengths[k]
                partners = [-1]
                if lb + into > top[mb] or lk > freeb:
                    partners = b[4]
                elif len(b[4]) < SWAP_SIZE:
                    partners = [-1] + b[4]
                for q in partners:
                    if q < 0:
                        if lk > freeb:
                            continue
                        na, nb = la - out, lb + into
                    else:
                        if not times[q][ja]:
                            continue
                        d = lk - lengths[q]
                        if d > freeb or -d > freea:
                            continue
                        na = la - out + times[q][ja]
                        if na >= la:
                            continue
                        nb = lb + into - times[q][jb]
                    if same:
                        gain = la - max(second[m], na, nb)
                        if nb >= la:
                            continue
                        rest = max(na, nb)
                    else:
                        gain = la - max(second[m], na) - max(0, nb - top[mb])
                        if nb >= top[mb] and gain <= 0:
                            continue
                        rest = max(na, nb - top[mb] + la)
                    if gain < 0:
                        continue
                    key = (-gain, rest)
                    if best is None or key < best[0]:
                        best = (key, i, k, q, na, nb)
        if best is None:
            stuck.add(m)
            continue
        _, i, k, q, na, nb = best
        b = groups[i]
        a[4].remove(k)
        b[4].append(k)
        a[3] -= lengths[k]
        b[3] += lengths[k]
        if q >= 0:
            b[4].remove(q)
            a[4].append(q)
            a[3] += lengths[q]
            b[3] -= lengths[q]
        a[2], b[2] = na, nb
        stuck.clear()
    top, _, _ = spans()
    return sum(top)
