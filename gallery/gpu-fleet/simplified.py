"""Fleets around the fractional demand in order of price, each filled by regret under one multiplier per type."""

from itertools import combinations, product

BUDGET = 1120
TRIALS = 10
DOWN = 2
UP = 2
CHEAP_UP = 4
MAX_BOX = 4000


def rent(
    prices: list[int], loads: list[list[int | None]], slices: list[int], capacity: int
) -> list[tuple[int, list[int]]]:
    """GPUs as (type, buckets of their slices)."""
    count = len(prices)
    size = [{t: max(1, x) for t, x in enumerate(row) if x is not None and x <= capacity} for row in loads]
    whole = {b: n for b, n in enumerate(slices) if n > 0}
    best, limit, demands = [], float("inf"), []
    subsets = [s for k in range(1, (count if count <= 6 else 2) + 1) for s in combinations(range(count), k)]
    if count > 6:
        subsets.append(tuple(range(count)))
    for types in subsets:
        fleet = first_fit(prices, size, whole, capacity, types)
        if fleet is None:
            continue
        bill = sum([prices[g[0]] for g in fleet])
        if bill < limit:
            best, limit = fleet, bill
        use = [0.0] * count
        for b in whole:
            t = min([t for t in types if t in size[b]], key=lambda t: size[b][t] * prices[t])
            use[t] += whole[b] * size[b][t] / capacity
        demands.append((sum([u * p for u, p in zip(use, prices)]), use))
    # A cut: under its multipliers the slices need at least so much room, whatever the packing.
    multipliers = [float(p) for p in prices]
    need = sum([n * min([x * prices[t] for t, x in size[b].items()]) for b, n in whole.items()]) / capacity
    cuts = [(list(multipliers), need * (1 - 1e-9))]
    fleets = boxes(prices, sorted(demands), need, limit)
    budget = BUDGET
    for counts in sorted(fleets, key=lambda c: (fleets[c], c)):
        if budget <= 0:
            break
        if not any(sum([x * n for x, n in zip(c, counts)]) < low for c, low in cuts):
            packed, spent = fill(counts, multipliers, cuts, size, whole, capacity)
            budget -= spent
            if packed is not None:
                best = packed
                break
    return [(g[0], [b for b, m in g[2].items() for _ in range(m)]) for g in best if g[2]]


def boxes(prices, demands, need, limit):
    """Fleets (counts by type → price) from `need` to below `limit`, near the fractional demand of some types."""
    middle = sorted(prices)[len(prices) // 2]
    fleets: dict = {}
    seen = set()
    for worth, use in demands:
        if worth >= limit or len(fleets) > MAX_BOX:
            break
        box = tuple([int(u) for u in use])
        if box in seen:
            continue
        seen.add(box)
        ranges, total = [], 1
        for t, n in enumerate(box):
            up = CHEAP_UP if prices[t] < middle else UP
            ranges.append(range(max(0, n - DOWN), n + up + 1))
            total *= len(ranges[-1])
        if total > MAX_BOX:
            if 3 ** len(box) > 4 * MAX_BOX:
                continue
            ranges = [range(max(0, n - 1), n + 2) if n else range(2) for n in box]
        for counts in product(*ranges):
            price = sum([n * p for n, p in zip(counts, prices)])
            if need - 1e-6 <= price < limit:
                fleets[counts] = price
    return fleets


def first_fit(prices, size, slices, capacity, types):
    """Dearest buckets first, each to the open GPUs that serve it most cheaply, then to new ones."""
    cost = {b: {t: size[b][t] * prices[t] for t in types if t in size[b]} for b in slices}
    if not all(cost.values()):
        return None
    fleet: list = []
    for b in sorted(slices, key=lambda b: -min(cost[b].values())):
        c = cost[b]
        left = put(sorted([g for g in fleet if g[0] in c], key=lambda g: c[g[0]]), b, size[b], slices[b])
        while left:
            fleet.append([min(c, key=lambda t: c[t]), capacity, {}])
            left = put(fleet[-1:], b, size[b], left)
    return fleet


def put(group, b, row, left):
    """What is left of `left` slices once as many as fit are on the GPUs of the group, in their order."""
    for g in group:
        m = min(left, g[1] // row[g[0]])
        if m > 0:
            g[1] -= m * row[g[0]]
            g[2][b] = g[2].get(b, 0) + m
            left -= m
    return left


def fill(counts, multipliers, cuts, size, slices, capacity):
    """(a packing of the fleet or None, trials); `multipliers` and `cuts` are updated."""
    used = [t for t, n in enumerate(counts) if n]
    for trial in range(TRIALS):
        use = dict.fromkeys(used, 0)
        need = 0.0
        items = []
        for b in slices:
            options = sorted([(multipliers[t] * size[b][t], t) for t in used if t in size[b]])
            if not options:
                return None, 1
            cheapest, t = options[0]
            need += slices[b] * cheapest
            use[t] += slices[b] * size[b][t]
            regret = options[1][0] / cheapest if len(options) > 1 else 1e9
            items.append((-regret, -cheapest, b, options))
        need *= (1 - 1e-9) / capacity
        if sum([multipliers[t] * counts[t] for t in used]) < need:
            far = max(multipliers) * 1e9
            cuts.append(([multipliers[t] if counts[t] else far for t in range(len(counts))], need))
            return None, trial + 1
        packed = pack(counts, used, sorted(items), size, slices, capacity)
        if packed is not None or len(used) == 1:
            return packed, trial + 1
        for t in used:
            over = use[t] / (counts[t] * capacity)
            multipliers[t] *= min(3.0, max(1 / 3, over)) ** (0.5 / (1 + 0.2 * trial))
    return None, TRIALS


def pack(counts, used, items, size, slices, capacity):
    """Buckets to types by regret, first fit decreasing in a type, what is left wherever it fits; or None."""
    room = {t: counts[t] * capacity for t in used}
    parts: dict = {t: [] for t in used}
    for _, _, b, options in items:
        left = slices[b]
        for _, t in options:
            m = min(left, room[t] // size[b][t])
            if m > 0:
                room[t] -= m * size[b][t]
                parts[t].append((size[b][t], b, m))
                left -= m
        if left:
            return None
    gpus = {t: [[t, capacity, {}] for _ in range(counts[t])] for t in used}
    spill = []
    for t in used:
        for load, b, m in sorted(parts[t], reverse=True):
            left = put(gpus[t], b, size[b], m)
            if left:
                spill.append((load, b, left))
    ways = {b: options for _, _, b, options in items}
    for _, b, left in sorted(spill, reverse=True):
        if put([g for _, t in ways[b] for g in gpus[t]], b, size[b], left):
            return None
    return [g for t in used for g in gpus[t]]
