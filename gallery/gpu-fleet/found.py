"""Fleets in order of price, filled by regret and least slack; for big slices, after fixing LP patterns."""

from itertools import combinations, product
from math import floor

import numpy as np

BIG_SHARE = 0.12
LEVELS = ((1.0, 0.0), (1.0, 0.35), (0.75, 0.0), (0.5, 0.0))
LEVEL_BUDGET = 50
BUDGET = 280
BOUND_SHARE = 0.997
PIVOTS = 60
KNAPSACK_NODES = 80
TRIALS = 10
DOWN = 2
UP = 2
CHEAP_UP = 4
MAX_BOX = 4000
STEP = 0.5
DECAY = 0.2
CLAMP = 3.0
FAR = 1e9
TINY = 1e-9
SLACK_EVERY = 2
SLACK_NODES = 120
SLACK_OK = 0.002


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices)."""
    size = [
        {t: max(1, x) for t, x in enumerate(row) if x is not None and x <= capacity} for row in loads
    ]
    whole = {b: n for b, n in enumerate(slices) if n > 0}
    best, lowest, bound = [], float("inf"), 0.0
    if whole and max(min(size[b].values()) for b in whole) > BIG_SHARE * capacity:
        bound, patterns = generate(size, whole, prices, capacity)
        for share, up in LEVELS:
            left = dict(whole)
            fixed = []
            for x, t, chosen in patterns:
                k = min([int(x * share + up + 1e-6)] + [left[b] // m for b, m in chosen])
                if k > 0:
                    fixed.extend([t, 0, dict(chosen)] for _ in range(k))
                    for b, m in chosen:
                        left[b] -= k * m
            left = {b: n for b, n in left.items() if n}
            spent = sum([prices[g[0]] for g in fixed])
            rest = search(prices, size, left, capacity, lowest - spent, LEVEL_BUDGET, 0.0)
            if rest is not None:
                best = fixed + rest
                lowest = sum([prices[g[0]] for g in best])
    better = search(prices, size, whole, capacity, lowest, BUDGET, bound * BOUND_SHARE)
    if better is not None:
        best = better
    return [(g[0], [b for b, m in g[2].items() for _ in range(m)]) for g in best if g[2]]


def generate(size, left, prices, capacity):
    """(bill, [(copies, type, filling)]) of the fractional optimum over GPU patterns."""
    buckets = list(left)
    n = len(buckets)
    columns = []
    inverse = np.zeros((n, n))
    for i, b in enumerate(buckets):
        t = min(size[b], key=lambda t: prices[t] / min(left[b], capacity // size[b][t]))
        m = min(left[b], capacity // size[b][t])
        columns.append((prices[t], t, [(b, m)]))
        inverse[i, i] = 1.0 / m
    place = {b: i for i, b in enumerate(buckets)}
    x = inverse @ np.array([left[b] for b in buckets], dtype=float)
    for _ in range(PIVOTS):
        duals = (np.array([c[0] for c in columns], dtype=float) @ inverse).tolist()
        y = dict(zip(buckets, duals))
        lowest, entering = -1e-7 * max(prices), None
        for b in buckets:
            if y[b] < lowest:
                lowest, entering = y[b], (0, None, [(b, -1)])
        for t in range(len(prices)):
            items = sorted([(-y[b] / size[b][t], size[b][t], b) for b in buckets if t in size[b] and y[b] > 0])
            value, chosen = knapsack(items, left, y, capacity)
            if prices[t] - value < lowest:
                lowest, entering = prices[t] - value, (prices[t], t, chosen)
        if entering is None:
            break
        column = np.zeros(n)
        for b, m in entering[2]:
            column[place[b]] = m
        d = inverse @ column
        able = d > 1e-9
        if not able.any():
            break
        ratio = np.where(able, x / np.where(able, d, 1.0), np.inf)
        r = int(ratio.argmin())
        theta = max(0.0, float(ratio[r]))
        x = x - theta * d
        x[r] = theta
        pivot = inverse[r] / d[r]
        inverse = inverse - np.outer(d, pivot)
        inverse[r] = pivot
        columns[r] = entering
    else:
        # not solved to the end: no bound
        found = [(float(x[j]), c[1], c[2]) for j, c in enumerate(columns) if c[1] is not None]
        return 0.0, sorted(found, key=lambda c: -c[0])
    bill = sum([float(x[j]) * c[0] for j, c in enumerate(columns)])
    found = [(float(x[j]), c[1], c[2]) for j, c in enumerate(columns) if c[1] is not None]
    return bill, sorted(found, key=lambda c: -c[0])


def knapsack(items, left, y, capacity):
    """(value, [(bucket, count)]) of a good filling; a depth-first search that starts with the greedy one."""
    best = [0.0, []]
    nodes = [KNAPSACK_NODES]
    n = len(items)

    def dive(k, room, value, chosen):
        nodes[0] -= 1
        if value > best[0]:
            best[0], best[1] = value, list(chosen)
        while k < n and items[k][1] > room:
            k += 1
        if k == n or value - items[k][0] * room <= best[0] * (1 + 1e-9):
            return
        _, load, b = items[k]
        for m in range(min(left[b], room // load), -1, -1):
            if m:
                chosen.append((b, m))
            dive(k + 1, room - m * load, value + m * y[b], chosen)
            if m:
                chosen.pop()
            if nodes[0] < 0:
                return

    dive(0, capacity, 0.0, [])
    return best


def search(prices, size, slices, capacity, limit, budget, least):
    """The cheapest packing found below the limit, or None; fleets cheaper than `least` are left out."""
    if limit <= 0:
        return None
    if not slices:
        return []
    count = len(prices)
    buckets = list(slices)
    best = None
    demands = []
    subsets = [s for k in range(1, (count if count <= 6 else 2) + 1) for s in combinations(range(count), k)]
    if count > 6:
        subsets.append(tuple(range(count)))
    for types in subsets:
        fleet = first_fit(prices, size, slices, buckets, capacity, types)
        if fleet is None:
            continue
        bill = sum([prices[g[0]] for g in fleet])
        if bill < limit:
            best, limit = fleet, bill
        use = [0.0] * count
        for b in buckets:
            t = min([t for t in types if t in size[b]], key=lambda t: size[b][t] * prices[t])
            use[t] += slices[b] * size[b][t] / capacity
        demands.append((sum([u * p for u, p in zip(use, prices)]), use))
    demands.sort()
    lam = [float(p) for p in prices]
    base = sum([slices[b] * min([x * lam[t] for t, x in size[b].items()]) for b in buckets]) / capacity
    cuts = [(list(lam), base * (1 - TINY))]
    least = max(least, base - 1e-6)
    middle = sorted(prices)[count // 2]
    candidates = {}
    seen = set()
    for worth, use in demands:
        if worth >= limit or len(candidates) > MAX_BOX:
            break
        box = tuple(floor(u) for u in use)
        if box in seen:
            continue
        seen.add(box)
        ranges = []
        total = 1
        for t, n in enumerate(box):
            up = CHEAP_UP if prices[t] < middle else UP
            ranges.append(range(max(0, n - DOWN), n + up + 1))
            total *= len(ranges[-1])
        if total > MAX_BOX:
            ranges = [range(max(0, n - 1), n + 2) if n else range(2) for n in box]
            if 3**count > 4 * MAX_BOX:
                continue
        for counts in product(*ranges):
            price = sum([n * p for n, p in zip(counts, prices)])
            if least <= price < limit:
                candidates[counts] = price
    for counts in sorted(candidates, key=lambda c: (candidates[c], c)):
        if budget <= 0:
            break
        if any(sum([x * n for x, n in zip(c, counts)]) < need for c, need in cuts):
            continue
        packed, spent = fill(counts, lam, cuts, size, slices, buckets, capacity)
        budget -= spent
        if packed is not None:
            return packed
    return best


def first_fit(prices, size, slices, buckets, capacity, types):
    """Dearest buckets first, each to the open GPUs that serve it most cheaply, then to new ones."""
    cost = {}
    for b in buckets:
        cost[b] = {t: size[b][t] * prices[t] for t in types if t in size[b]}
        if not cost[b]:
            return None
    fleet = []
    for b in sorted(buckets, key=lambda b: -min(cost[b].values())):
        c = cost[b]
        left = put(sorted([g for g in fleet if g[0] in c], key=lambda g: c[g[0]]), b, size[b], slices[b])
        while left:
            fleet.append([min(c, key=lambda t: c[t]), capacity, {}])
            left = put(fleet[-1:], b, size[b], left)
    return fleet


def put(group, b, row, left):
    """What is left of `left` slices once as many as fit are on the GPUs of the group, in their order."""
    for g in group:
        load = row[g[0]]
        m = min(left, g[1] // load)
        if m > 0:
            g[1] -= m * load
            g[2][b] = g[2].get(b, 0) + m
            left -= m
            if not left:
                break
    return left


def fill(counts, lam, cuts, size, slices, buckets, capacity):
    """(a packing of the fleet or None, trials); `lam` and `cuts` are updated."""
    used = [t for t in range(len(counts)) if counts[t]]
    for trial in range(TRIALS):
        use = dict.fromkeys(used, 0)
        need = 0.0
        items = []
        for b in buckets:
            row = size[b]
            options = sorted([(lam[t] * row[t], t) for t in used if t in row])
            if not options:
                return None, 1
            w, t = options[0]
            need += slices[b] * w
            use[t] += slices[b] * row[t]
            items.append((-options[1][0] / w if len(options) > 1 else -FAR, -w, b, options))
        need *= (1 - TINY) / capacity
        if sum([lam[t] * counts[t] for t in used]) < need:
            far = max(lam) * FAR
            cuts.append(([lam[t] if counts[t] else far for t in range(len(counts))], need))
            return None, trial + 1
        items.sort()
        packed = pack(counts, used, items, size, slices, capacity, trial % SLACK_EVERY == 0)
        if packed is not None or len(used) == 1:
            return packed, trial + 1
        step = STEP / (1 + DECAY * trial)
        for t in used:
            over = use[t] / (counts[t] * capacity)
            lam[t] *= min(CLAMP, max(1 / CLAMP, over)) ** step
    return None, TRIALS


def brim(group, items, capacity):
    """Fill the GPUs one after the other as full as possible; what is left of the items."""
    items = [list(i) for i in items]
    enough = int(SLACK_OK * capacity)
    pattern = None
    for g in group:
        items = [i for i in items if i[2]]
        if not items:
            break
        if pattern is None or any(m > i[2] for i, m in pattern):
            n = len(items)
            found = [capacity + 1, []]
            nodes = [SLACK_NODES]

            def dive(k, room, chosen):
                nodes[0] -= 1
                if room < found[0]:
                    found[0], found[1] = room, list(chosen)
                while k < n and items[k][0] > room:
                    k += 1
                if k == n:
                    return
                load = items[k][0]
                for m in range(min(items[k][2], room // load), 0 if k == 0 else -1, -1):
                    if m:
                        chosen.append((items[k], m))
                    dive(k + 1, room - m * load, chosen)
                    if m:
                        chosen.pop()
                    if found[0] <= enough or nodes[0] < 0:
                        return

            dive(0, capacity, [])
            pattern = found[1]
        for i, m in pattern:
            g[1] -= m * i[0]
            g[2][i[1]] = g[2].get(i[1], 0) + m
            i[2] -= m
    return [tuple(i) for i in items if i[2]]


def pack(counts, used, items, size, slices, capacity, exact):
    """Buckets to types by regret, first fit or least slack within a type, then repairs; None if it fails."""
    room = {t: counts[t] * capacity for t in used}
    parts = {t: [] for t in used}
    ways = {}
    for _, _, b, options in items:
        left = slices[b]
        ways[b] = options
        for _, t in options:
            load = size[b][t]
            m = min(left, room[t] // load)
            if m > 0:
                room[t] -= m * load
                parts[t].append((load, b, m))
                left -= m
                if not left:
                    break
        if left:
            return None
    for fullest in (False, True) if exact else (False,):
        gpus = {t: [[t, capacity, {}] for _ in range(counts[t])] for t in used}
        spill = []
        for t in used:
            rest = sorted(parts[t], reverse=True)
            if fullest:
                rest = brim(gpus[t], rest, capacity)
            for load, b, left in rest:
                left = put(gpus[t], b, size[b], left)
                if left:
                    spill.append((load, b, left))
        for _, b, left in sorted(spill, reverse=True):
            if put([g for _, t in ways[b] for g in gpus[t]], b, size[b], left):
                break
        else:
            return [g for t in used for g in gpus[t]]
    return None
