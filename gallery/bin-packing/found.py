"""Pool of perfectly full bins, scarcest item first, backtracking and restarts weighted by failures."""

import random

MAX_POOL = 12_000
TOTAL_WORK = 350_000
RUN_NODES = 220  # nodes of a run beyond the number of bins
MAX_RUNS = 60
NOISE = 0.35
PENALTY = 0.15  # what a value left over gains in priority
MAX_OPTIONS = 12
SLACK_RUNS = 2  # runs of the cover where bins need not all be full
ROUND_STEPS = 300  # of one search for a fullest bin in a repair round
REPAIR_WORK = 250_000  # steps of all repair rounds
ROUND_WORK = 60
HIDE = 0.25  # chance that an item is hidden when a bin is refilled
MIN_BINS = 3
MAX_BINS = 6
OPEN_SHARE = 0.5
HEAT = 0.02  # the loss of squared loads accepted on average is the square of this many capacities
ROOMY = 0.5  # chance that a round starts with the roomiest of a few bins that are not full
ROOMY_OF = 4
SEED = 5


def best_fit(items, capacity):
    spaces, contents = [], []
    for size in sorted(items, reverse=True):
        best, where = capacity + 1, -1
        for index, space in enumerate(spaces):
            if size <= space < best:
                best, where = space, index
        if where < 0:
            spaces.append(capacity - size)
            contents.append([size])
        else:
            spaces[where] -= size
            contents[where].append(size)
    return contents


def make_pool(values, counts, capacity):
    """Full bins of two or three items, as lists of (place, number)."""
    place = {v: i for i, v in enumerate(values)}
    pool = []
    for i, a in enumerate(values):  # falling: a >= b >= c
        b = capacity - a
        if b <= a and b in place and counts[i] + counts[place[b]] >= 2 and (b != a or counts[i] > 1):
            pool.append(((i, 2),) if a == b else ((i, 1), (place[b], 1)))
        for j in range(i, len(values)):
            b = values[j]
            c = capacity - a - b
            if c > b:
                break
            if c <= 0 or c not in place:
                continue
            need = {}
            for k in (i, j, place[c]):
                need[k] = need.get(k, 0) + 1
            if all(counts[k] >= m for k, m in need.items()):
                pool.append(tuple(need.items()))
        if len(pool) >= MAX_POOL:
            break
    return pool


def fullest(items, space, limit):
    """Places in `items` (falling) that leave least of `space`, and the steps of the search."""
    best_slack, best, steps = space, (), 0
    size = len(items)
    low = items[-1] if items else 0

    def search(place, left, chosen):
        nonlocal best_slack, best, steps
        last = 0
        while place < size:
            item = items[place]
            if item <= left and item != last:
                steps += 1
                if left - (left // low) * item >= best_slack:
                    return
                last = item
                rest = left - item
                if rest < best_slack:
                    best_slack, best = rest, chosen + (place,)
                if rest >= low:
                    search(place + 1, rest, chosen + (place,))
                if best_slack == 0 or steps > limit:
                    return
            place += 1

    search(0, space, ())
    return best, steps


def refill(items, capacity, rng, limit):
    """At most `limit` bins of `items` (else None): the largest left and what of the shown fills it best."""
    items = sorted(items, reverse=True)
    contents, work = [], 0
    while items:
        if len(contents) >= limit:
            return None, work
        first = items.pop(0)
        space = capacity - first
        shown = [place for place, item in enumerate(items) if item <= space and rng.random() >= HIDE]
        found, steps = fullest([items[place] for place in shown], space, ROUND_STEPS)
        work += steps
        places = [shown[place] for place in found]
        space -= sum(items[place] for place in places)
        if items and items[-1] <= space:  # hidden items may still fit
            for place, item in enumerate(items):
                if item <= space and place not in places:
                    places.append(place)
                    space -= item
        content = [first]
        for place in sorted(places, reverse=True):
            content.append(items.pop(place))
        contents.append(content)
    return contents, work


def repair(contents, bound, capacity):
    """Dissolves and refills a few bins again and again, until `bound` bins do."""
    rng = random.Random(SEED)
    contents = list(contents)
    loads = [sum(content) for content in contents]
    work = 0
    while len(contents) > bound and work < REPAIR_WORK:
        count = len(contents)
        opened = [index for index in range(count) if loads[index] < capacity]
        wanted = min(count, rng.randint(MIN_BINS, MAX_BINS))
        start = opened[int(rng.random() * len(opened))]
        if rng.random() < ROOMY:
            for _ in range(ROOMY_OF - 1):
                other = opened[int(rng.random() * len(opened))]
                if loads[other] < loads[start]:
                    start = other
        picked = {start}
        while len(picked) < wanted:
            if rng.random() < OPEN_SHARE:
                picked.add(opened[int(rng.random() * len(opened))])
            else:
                picked.add(int(rng.random() * count))
        places = sorted(picked)
        pool = [item for index in places for item in contents[index]]
        fresh, steps = refill(pool, capacity, rng, len(places))
        work += steps + ROUND_WORK
        if fresh is None:
            continue
        sums = [sum(content) for content in fresh]
        before = sum(loads[index] * loads[index] for index in places)
        loss = before - sum(load * load for load in sums)
        if loss > 0 and loss > (HEAT * capacity) ** 2 * rng.expovariate(1.0):
            continue
        for place, content, load in zip(places, fresh, sums):
            contents[place] = content
            loads[place] = load
        for place in reversed(places[len(fresh):]):
            contents[place] = contents[-1]
            loads[place] = loads[-1]
            contents.pop()
            loads.pop()
    return contents


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for every item."""
    if not sizes:
        return []
    total = sum(sizes)
    bound = max(-(-total // capacity), sum(1 for size in sizes if 2 * size > capacity))
    best = best_fit(sizes, capacity)
    if len(best) > bound:
        values = sorted(set(sizes), reverse=True)
        number = {}
        for size in sizes:
            number[size] = number.get(size, 0) + 1
        counts = [number[v] for v in values]
        pool = make_pool(values, counts, capacity)
        by_value = [[] for _ in values]
        for q, pattern in enumerate(pool):
            for v, m in pattern:
                by_value[v].append((q, m))
        alive = bytearray([1]) * len(pool)
        degree = [len(entry) for entry in by_value]
        # a bin that is not full wastes at least 1, so few items may stay without a pattern
        dead_limit = (bound * capacity - total) * max(1, capacity // values[-1])
        rng = random.Random(SEED)
        weight = [1.0] * len(values)
        trail = []
        work = len(pool) + len(values) * len(values) // 4

        def finish(stack):
            nonlocal best
            contents = []
            for entry in stack:
                if entry[1] is not None:
                    contents.append([values[v] for v, m in pool[entry[1]] for _ in range(m)])
            rest = [values[v] for v, c in enumerate(counts) for _ in range(c)]
            contents += best_fit(rest, capacity)
            if len(contents) < len(best):
                best = contents

        def undo(entry):
            nonlocal work
            work += len(trail) - entry[2]
            while len(trail) > entry[2]:
                q = trail.pop()
                alive[q] = 1
                for v, _ in pool[q]:
                    degree[v] += 1
            for v, m in pool[entry[1]]:
                counts[v] += m
            entry[1] = None

        for run in range(SLACK_RUNS if dead_limit else MAX_RUNS):
            if len(best) <= bound or work >= TOTAL_WORK:
                break
            stack = []  # [options still open, pattern taken, length of the trail before it]
            failed_once = False
            for _ in range(bound + RUN_NODES):
                work += len(values) // 2
                chosen, key, dead = -1, 1e18, 0
                for v, c in enumerate(counts):
                    if c:
                        d = degree[v]
                        if d == 0:
                            dead += c
                        elif d / (c * weight[v]) < key:
                            chosen, key = v, d / (c * weight[v])
                options = []
                if dead > dead_limit or chosen < 0:
                    if not failed_once or chosen < 0:
                        failed_once = True
                        finish(stack)
                        for v, c in enumerate(counts):
                            if c and degree[v] == 0:
                                weight[v] += PENALTY
                    if len(best) <= bound or dead <= dead_limit:
                        break
                else:
                    for q, _ in by_value[chosen]:
                        if alive[q]:
                            scarcity = sum(m * degree[v] for v, m in pool[q])
                            if run:
                                scarcity *= 1 + NOISE * rng.random()
                            options.append((scarcity, q))
                    options.sort(reverse=True)
                    options = options[-MAX_OPTIONS:]
                    stack.append([options, None, len(trail)])
                while stack:
                    top = stack[-1]
                    if top[1] is not None:
                        undo(top)
                    if top[0]:
                        break
                    stack.pop()
                if not stack:
                    break
                top = stack[-1]
                top[1] = top[0].pop()[1]
                pattern = pool[top[1]]
                for v, m in pattern:
                    counts[v] -= m
                for v, _ in pattern:
                    left = counts[v]
                    work += len(by_value[v]) // 2
                    for q, m in by_value[v]:
                        if m > left and alive[q]:
                            alive[q] = 0
                            trail.append(q)
                            for w, _ in pool[q]:
                                degree[w] -= 1
            while stack:
                if stack[-1][1] is not None:
                    undo(stack[-1])
                stack.pop()
    if len(best) > bound:
        best = repair(best, bound, capacity)
    waiting = {}
    for j, size in enumerate(sizes):
        waiting.setdefault(size, []).append(j)
    bins = [0] * len(sizes)
    for index, content in enumerate(best):
        for size in content:
            bins[waiting[size].pop()] = index
    return bins
