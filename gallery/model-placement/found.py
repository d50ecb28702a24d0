"""Genetic algorithm with a pool, its local search ended by triples, then covers of several GPUs."""

import numpy as np

LS_STEPS = 3600
TRIPLES = 1
HOT_TRIPLES = 3
START_TRIPLES = 16
TEMP = 0.3
MAX_MODELS = 13
MAX_A = 80
MAX_B = 160
TIE = 1e-6
CHILD_STEPS = 4
EVERY = 40
COVER_STEPS = 100
POOL = 4000
RESTARTS = 4
COVER_WORK = 15000
COVER_NOISE = 0.6
SPLIT = 9
POPULATION = 14
STALE = 45
ALIKE = 0.6
SETTLE_COST = 2
SPREAD = 0.35
SKIP = 0.15
MUTATE = 0.25
DROP = 0.0002
SEED = 11
REPACK_WORK = 4500000
STEP_WORK = 3500
NODE_WORK = 25
TRY_WORK = 20000
K_MIN = 4
K_MAX = 7
GREED = 0.5
HEAT = 0.05
CYCLES = 4
ABOVE = 1.01
MAX_SETS = 200000
MAX_KEPT = 60000
MAX_LIST = 2500


def largest(gpus, memory, sizes, rates, answer):
    """Largest pressure of any GPU; infinite if a GPU is overfull."""
    free = [memory] * gpus
    load = [0] * gpus
    for i, g in enumerate(answer):
        free[g] -= sizes[i]
        load[g] += rates[i]
    if min(free) < 1:
        return float("inf")
    return max(load[g] / free[g] for g in range(gpus))


def first_fit(gpus, memory, sizes):
    """GPU of each model, largest first, each to the first GPU with room."""
    free = [memory - 1] * gpus
    answer = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        g = next(g for g in range(gpus) if free[g] >= sizes[i])
        free[g] -= sizes[i]
        answer[i] = g
    return answer


def pack(gpus, memory, sizes, rates, target):
    """GPU of each model with no pressure above the target, or None."""
    weight = [rates[i] + target * sizes[i] for i in range(len(sizes))]
    room = [target * memory] * gpus
    free = [memory - 1] * gpus
    answer = [0] * len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: -weight[i]):
        fits = [g for g in range(gpus) if room[g] >= weight[i] and free[g] >= sizes[i]]
        if not fits:
            return None
        g = min(fits, key=lambda g: room[g])
        room[g] -= weight[i]
        free[g] -= sizes[i]
        answer[i] = g
    return answer


def construct(gpus, memory, sizes, rates):
    """GPU of each model for the smallest target that best fit decreasing reaches."""
    answer = first_fit(gpus, memory, sizes)
    high = largest(gpus, memory, sizes, rates, answer)
    low = sum(rates) / (gpus * memory - sum(sizes))
    for _ in range(20):
        target = (low + high) / 2
        found = pack(gpus, memory, sizes, rates, target)
        if found is None:
            low = target
        else:
            answer = found
            high = min(target, largest(gpus, memory, sizes, rates, found))
    return answer


def repartition(weights, capacity, over, temp, rng):
    """Masks of a partition of the weights into three bins with the least overload, or None."""
    sums = np.zeros(1)
    for x in weights:
        sums = np.concatenate((sums, sums + x))
    full = len(sums) - 1
    excess = sums - capacity
    overload = np.maximum(excess, 0.0)
    high = over + temp + 1e-9 * capacity
    slack = high - (float(sums[full]) - 3 * capacity)
    usable = np.flatnonzero((excess <= high) & (excess >= -slack))
    first = rng.permutation(usable[(usable & 1) == 1])[:MAX_A]
    second = rng.permutation(usable[(usable & 1) == 0])[:MAX_B]
    if len(first) == 0 or len(second) == 0:
        return None
    column = first[:, None]
    total = overload[column] + overload[second] + overload[(full ^ column) ^ second]
    total += (temp + TIE * capacity) * rng.random(total.shape)
    total[(column & second) != 0] = np.inf
    k = int(np.argmin(total))
    a, b = divmod(k, len(second))
    if not total[a, b] <= high + temp + TIE * capacity:
        return None
    one, two = int(first[a]), int(second[b])
    return [one, two, full ^ one ^ two]


class Search:
    """The target, the best answer, and the operators on placements (lists of GPU numbers)."""

    def __init__(self, gpus, memory, sizes, rates, start):
        self.gpus, self.memory, self.sizes, self.rates = gpus, memory, sizes, rates
        self.n = len(sizes)
        self.rng = np.random.default_rng(SEED)
        self.size = np.array(sizes, dtype=float)
        self.rate = np.array(rates, dtype=float)
        self.best = list(start)
        self.value = largest(gpus, memory, sizes, rates, start)
        self.steps = 0
        self.pool = {}
        self.left, self.right = np.triu_indices(self.n, 1)
        self.none = np.zeros(gpus)
        self.everyone = np.arange(gpus)
        self.retarget()

    def retarget(self):
        self.target = self.value * (1 - DROP)
        self.capacity = self.target * self.memory
        self.tolerance = 1e-9 * self.capacity
        self.weight = self.rate + self.target * self.size

    def excess(self, place):
        loads = np.bincount(place, weights=self.weight, minlength=self.gpus)
        return loads - self.capacity

    def cost(self, place):
        return float(np.maximum(self.excess(place), 0.0).sum())

    def insert(self, place, models, spread):
        """Put models into the placement (in place): best fit, or least excess if none fits."""
        weight = self.weight.tolist()
        room = [self.capacity] * self.gpus
        for i in range(self.n):
            if place[i] >= 0:
                room[place[i]] -= weight[i]
        noise = 1 + spread * (self.rng.random(len(models)) - 0.5)
        order = sorted(range(len(models)), key=lambda k: -weight[models[k]] * noise[k])
        for k in order:
            i = models[k]
            fits = [g for g in range(self.gpus) if room[g] >= weight[i]]
            if fits:
                g = min(fits, key=lambda g: room[g])
            else:
                g = max(range(self.gpus), key=lambda g: room[g])
            place[i] = g
            room[g] -= weight[i]

    def improve(self, place):
        """Exchange up to two models of an overloaded GPU; lower the target at zero overload.

        When no exchange helps, some triples of GPUs are repartitioned."""
        place = np.array(place, dtype=np.int64)
        tries = TRIPLES
        while self.steps < LS_STEPS:
            self.steps += 1
            excess = self.excess(place)
            over = np.maximum(excess, 0.0)
            if over.max() <= self.tolerance:
                answer = [int(g) for g in place]
                reached = largest(self.gpus, self.memory, self.sizes, self.rates, answer)
                if not reached < self.value:
                    break
                self.best, self.value = answer, reached
                self.retarget()
                tries = TRIPLES
                continue
            same = np.flatnonzero(place[self.left] == place[self.right])
            one, two = self.left[same], self.right[same]
            unit = np.concatenate((self.weight, self.weight[one] + self.weight[two], self.none))
            home = np.concatenate((place, place[one], self.everyone))
            over_home = over[home]
            rows = np.flatnonzero(over_home > self.tolerance)
            here = home[rows][:, None]
            shift = unit[rows][:, None] - unit
            gain = np.maximum(excess[here] - shift, 0.0)
            shift += excess[home]
            gain += np.maximum(shift, 0.0, out=shift)
            gain -= over[here] + over_home
            gain[here == home] = np.inf
            k = int(np.argmin(gain))
            a, b = divmod(k, len(home))
            if not gain[a, b] < -self.tolerance:
                while tries > 0:
                    tries -= 1
                    self.steps += 1
                    if self.triple(place, excess, over):
                        break
                else:
                    break
                continue
            a = int(rows[a])
            to_b, to_a = int(home[b]), int(home[a])
            for number, goal in ((a, to_b), (b, to_a)):
                if number < self.n:
                    place[number] = goal
                elif number < self.n + len(one):
                    place[one[number - self.n]] = goal
                    place[two[number - self.n]] = goal
        return [int(g) for g in place]

    def triple(self, place, excess, over, temp=0.0):
        """Repartition an overloaded GPU and two others (in place); whether overload fell."""
        if self.gpus < 3:
            return False
        bad = np.flatnonzero(over > self.tolerance)
        if len(bad) == 0:
            bad = np.array([int(np.argmax(excess))])
        worst = int(bad[int(self.rng.random() * len(bad))])
        others = [g for g in range(self.gpus) if g != worst]
        first = others.pop(int(self.rng.random() * len(others)))
        second = others[int(self.rng.random() * len(others))]
        chosen = [worst, first, second]
        items = np.flatnonzero((place == worst) | (place == first) | (place == second))
        if not 0 < len(items) <= MAX_MODELS:
            return False
        before = float(over[chosen].sum())
        masks = repartition(self.weight[items].tolist(), self.capacity, before, temp, self.rng)
        if masks is None:
            return False
        for g, mask in zip(chosen, masks):
            for k, i in enumerate(items):
                if mask >> k & 1:
                    place[i] = g
        excess[:] = self.excess(place)
        over[:] = np.maximum(excess, 0.0)
        return float(over[chosen].sum()) < before - self.tolerance

    def remember(self, place):
        """Keep the models of every GPU without overload."""
        groups = [[] for _ in range(self.gpus)]
        for i, g in enumerate(place):
            groups[g].append(i)
        excess = self.excess(np.array(place, dtype=np.int64))
        for g in range(self.gpus):
            if groups[g] and excess[g] <= self.tolerance:
                self.pool[sum(1 << i for i in groups[g])] = tuple(groups[g])
        if len(self.pool) > POOL:  # the newer half stays
            self.pool = dict(list(self.pool.items())[POOL // 2 :])

    def cover(self):
        """A placement without overload made of remembered GPUs, or None."""
        self.steps += COVER_STEPS
        n = self.n
        weight = [float(x) for x in self.weight]
        capacity = self.capacity
        budget = self.gpus * capacity - sum(weight)
        if budget < 0:
            return None
        heavy = sorted(range(n), key=lambda i: -weight[i])
        rank = [0] * n
        for k, i in enumerate(heavy):
            rank[i] = k
        groups = [[] for _ in range(n)]
        for mask, models in self.pool.items():
            slack = capacity - sum(weight[i] for i in models)
            if 0 <= slack <= budget:
                groups[min(rank[i] for i in models)].append((slack, mask))
        left = [0]
        chosen = []

        def split(used, waste):
            rest = [i for i in range(n) if not used >> i & 1]
            if len(rest) > SPLIT:
                return False
            parts = [(weight[rest[0]], 1 << rest[0])]
            for i in rest[1:]:
                parts += [(load + weight[i], mask | 1 << i) for load, mask in parts]
            left[0] -= 2 * len(parts)
            for load, mask in parts:
                if capacity - waste <= load <= capacity:
                    chosen.append(mask)
                    chosen.append(((1 << n) - 1) & ~used & ~mask)
                    return True
            return False

        def search(used, k, gpus, waste, ordered):
            while k < n and used >> heavy[k] & 1:
                k += 1
            if k == n:
                return True
            if gpus <= 2:
                return gpus == 2 and split(used, waste)
            left[0] -= len(ordered[k]) + 10
            for _, slack, mask in ordered[k]:
                if left[0] < 0:
                    return False
                if mask & used or slack > waste:
                    continue
                chosen.append(mask)
                if search(used | mask, k + 1, gpus - 1, waste - slack, ordered):
                    return True
                chosen.pop()
            return False

        noise = COVER_NOISE * budget / self.gpus
        for turn in range(RESTARTS):
            ordered = []
            for group in groups:
                extra = self.rng.random(len(group)) * (noise * turn)
                ordered.append(
                    sorted((s + float(e), s, mask) for (s, mask), e in zip(group, extra))
                )
            left[0] = COVER_WORK
            chosen.clear()
            if search(0, 0, self.gpus, budget, ordered):
                place = [0] * n
                for g, mask in enumerate(chosen):
                    for i in range(n):
                        if mask >> i & 1:
                            place[i] = g
                return place
        return None

    def cross(self, mother, father):
        """A child with the best filled GPUs of both, the rest inserted anew."""
        ranked = []
        for parent in (mother, father):
            excess = self.excess(np.array(parent, dtype=np.int64))
            groups = [[] for _ in range(self.gpus)]
            for i, g in enumerate(parent):
                groups[g].append(i)
            for g in range(self.gpus):
                if groups[g] and self.rng.random() >= SKIP:
                    # an overload counts as worse than the same waste
                    badness = -excess[g] if excess[g] <= 0 else 4 * excess[g] + 0.02 * self.capacity
                    ranked.append((float(badness), len(ranked), groups[g]))
        ranked.sort()
        child = [-1] * self.n
        filled = 0
        for _, _, group in ranked:
            if filled < self.gpus and all(child[i] < 0 for i in group):
                for i in group:
                    child[i] = filled
                filled += 1
        self.insert(child, [i for i in range(self.n) if child[i] < 0], 0.1)
        return child

    def settle(self, place):
        """The placement after repartitions of triples, hot ones first, cold ones last."""
        place = np.array(place, dtype=np.int64)
        hot = TEMP * self.target * (self.memory - float(self.size.sum()) / self.gpus)
        excess = self.excess(place)
        over = np.maximum(excess, 0.0)
        for k in range(START_TRIPLES):
            self.steps += SETTLE_COST
            self.triple(place, excess, over, hot * (1 - k / START_TRIPLES))
        return [int(g) for g in place]

    def mutate(self, place):
        """The placement after hot repartitions of triples with an overloaded GPU."""
        place = np.array(place, dtype=np.int64)
        temp = TEMP * self.target * (self.memory - float(self.size.sum()) / self.gpus)
        excess = self.excess(place)
        over = np.maximum(excess, 0.0)
        for _ in range(HOT_TRIPLES):
            self.steps += 1
            self.triple(place, excess, over, temp)
        return [int(g) for g in place]


def fillings(memory, size, rate, target, window):
    """Masks, first (heaviest) models, loads and sizes of all nearly full sets.

    The models are in falling order of their weight at the target."""
    n = len(size)
    weight = rate + target * size
    capacity = target * memory
    suffix = np.concatenate((np.cumsum(weight[::-1])[::-1], [0.0]))
    bit = np.left_shift(np.uint64(1), np.arange(n, dtype=np.uint64))
    first = np.arange(n)
    last = np.arange(n)
    total = weight.copy()
    mask = bit.copy()
    load = rate.copy()
    filled = size.copy()
    kept = []
    count = 0
    while len(total):
        room = capacity - total
        full = np.flatnonzero((room >= -1e-9 * capacity) & (room <= window) & (filled < memory))
        if len(full):
            kept.append((mask[full], first[full], load[full], filled[full]))
            count += len(full)
        start = np.maximum(last + 1, np.searchsorted(-weight, -room, side="left"))
        more = n - start
        more[(more < 0) | (total + suffix[np.minimum(start, n)] < capacity - window)] = 0
        ends = np.cumsum(more)
        if int(ends[-1]) == 0 or count > MAX_KEPT:
            break
        old = np.repeat(np.arange(len(more)), more)[:MAX_SETS]
        new = start[old] + np.arange(len(old)) - (ends - more)[old]
        first = first[old]
        last = new
        total = total[old] + weight[new]
        mask = mask[old] | bit[new]
        load = load[old] + rate[new]
        filled = filled[old] + size[new]
    if not kept:
        return None
    return [np.concatenate(part) for part in zip(*kept)]


def cover(table, free, bins, over, waste, excess, tolerance):
    """Masks that cover the free models with at most this overload and waste (or None), work done."""
    done = [0]
    chosen = []

    def search(left, bins, slack_used, over_used):
        if bins == 1:
            rest = excess + slack_used - over_used  # excess of the GPU that takes the rest
            if max(rest, 0.0) + over_used > over + tolerance:
                return False
            chosen.append(left)
            return True
        if left == 0:
            return False
        options = table.get((left & -left).bit_length() - 1, ())
        done[0] += NODE_WORK + len(options)
        for slack, mask in options:
            if mask & left != mask:
                continue
            if slack >= 0:
                new_slack, new_over = slack_used + slack, over_used
                if new_slack > waste:
                    continue
            else:
                new_slack, new_over = slack_used, over_used - slack
                if new_over > over:
                    continue
            chosen.append(mask)
            if search(left & ~mask, bins - 1, new_slack, new_over):
                return True
            chosen.pop()
            if done[0] > TRY_WORK:
                return False
        return False

    found = search(free, bins, 0.0, 0.0)
    return (list(chosen) if found else None), done[0]


def polish(gpus, memory, sizes, rates, best, starts):
    """The best answer met while four to seven GPUs are covered anew by enumerated sets."""
    n = len(sizes)
    value = largest(gpus, memory, sizes, rates, best)
    total_free = gpus * memory - sum(sizes)
    bound = sum(rates) / total_free
    if gpus < 2 or n < 2 or n > 63 or value <= bound * (1 + 1e-9):
        return best
    rng = np.random.default_rng(SEED)
    top = value * ABOVE
    order = sorted(range(n), key=lambda i: -(rates[i] + top * sizes[i]))
    size = np.array([sizes[i] for i in order], dtype=float)
    rate = np.array([rates[i] for i in order], dtype=float)
    sets = fillings(memory, size, rate, top, top * total_free - sum(rates))
    if sets is None:
        return best
    mask, first, load, filled = sets
    everything = (1 << n) - 1
    position = [0] * n
    for k, i in enumerate(order):
        position[i] = k
    groups = [0] * gpus
    for i in range(n):
        groups[best[i]] |= 1 << position[i]

    def weigh(group, weight, capacity):
        total = -capacity
        while group:
            low = group & -group
            total += weight[low.bit_length() - 1]
            group ^= low
        return total

    def view(target):
        weight = (rate + target * size).tolist()
        capacity = target * memory
        return weight, capacity, target * (memory - filled) - load

    target = value * (1 - DROP)
    weight, capacity, slack = view(target)
    excess = [weigh(group, weight, capacity) for group in groups]
    work = 0
    cycle = 0
    while work < REPACK_WORK:
        if work * CYCLES >= (cycle + 1) * REPACK_WORK:  # the next cycle has another start
            cycle += 1
            groups = [0] * gpus
            for i, g in enumerate(starts[cycle % len(starts)]):
                groups[g] |= 1 << position[i]
            excess = [weigh(group, weight, capacity) for group in groups]
        work += STEP_WORK
        tolerance = 1e-9 * capacity
        bad = [g for g in range(gpus) if excess[g] > tolerance]
        if not bad:
            break
        k = min(gpus, K_MIN + int(rng.random() * (K_MAX - K_MIN + 1)))
        worst = bad[int(rng.random() * len(bad))]
        others = [g for g in range(gpus) if g != worst]
        chosen = [worst] + [others[int(j)] for j in rng.permutation(len(others))[: k - 1]]
        free = 0
        for g in chosen:
            free |= groups[g]
        total = sum(excess[g] for g in chosen)
        over = sum(excess[g] for g in chosen if excess[g] > 0)
        if rng.random() < GREED:
            over *= rng.random()
        else:
            phase = work / REPACK_WORK * CYCLES % 1
            over += HEAT * (1 - phase) * target * total_free / gpus
        waste = over - total + tolerance
        if waste < 0:
            continue
        inside = (mask & np.uint64(everything & ~free)) == 0
        inside &= slack <= waste
        inside &= slack >= -over
        usable = rng.permutation(np.flatnonzero(inside))[:MAX_LIST]
        table = {}
        for f, s, m in zip(first[usable].tolist(), slack[usable].tolist(), mask[usable].tolist()):
            table.setdefault(f, []).append((s, m))
        masks, done = cover(table, free, len(chosen), over, waste, total, tolerance)
        work += done + 4 * len(usable)
        if masks is None:
            continue
        for g, m in zip(chosen, masks):
            groups[g] = m
            excess[g] = weigh(m, weight, capacity)
        if max(excess) <= tolerance:
            answer = [0] * n
            for g, m in enumerate(groups):
                for k in range(n):
                    if m >> k & 1:
                        answer[order[k]] = g
            reached = largest(gpus, memory, sizes, rates, answer)
            if not reached < value:
                break
            best, value = answer, reached
            if value <= bound * (1 + 1e-9):
                break
            target = value * (1 - DROP)
            weight, capacity, slack = view(target)
            excess = [weigh(group, weight, capacity) for group in groups]
    return best


def signature(answer):
    """The set of the GPUs' models, each as a bit mask, whatever the numbers of the GPUs."""
    masks = {}
    for i, g in enumerate(answer):
        masks[g] = masks.get(g, 0) | 1 << i
    return set(masks.values())


def place(gpus: int, memory: int, sizes: list[int], rates: list[int]) -> list[int]:
    """GPU of each model, the best answer that the population found."""
    start = construct(gpus, memory, sizes, rates)
    bound = sum(rates) / (gpus * memory - sum(sizes))
    if gpus < 2 or len(sizes) < 2:
        return start
    search = Search(gpus, memory, sizes, rates, start)
    members = [search.improve(start)]
    while len(members) < POPULATION:
        child = [-1] * len(sizes)
        search.insert(child, list(range(len(sizes))), SPREAD)
        members.append(search.improve(search.settle(child)))
    costs = [search.cost(member) for member in members]
    for member in members:
        search.remember(member)
    children = 0
    stale = 0
    while search.steps < LS_STEPS and search.value > bound * (1 + 1e-9):
        before = search.steps
        first = int(search.rng.random() * len(members))
        second = int(search.rng.random() * (len(members) - 1))
        if second >= first:
            second += 1
        children += 1
        child = search.cover() if children % EVERY == 0 else None
        if child is None:
            child = search.cross(members[first], members[second])
            if search.rng.random() < MUTATE:
                child = search.mutate(child)
        target = search.target
        child = search.improve(child)
        search.remember(child)
        if search.target != target:
            costs = [search.cost(member) for member in members]
        cost = search.cost(child)
        mine = signature(child)
        alike = [
            k for k in range(len(members)) if len(mine & signature(members[k])) >= ALIKE * gpus
        ]
        worst = max(alike or range(len(members)), key=lambda k: costs[k])
        rival = min((costs[k] for k in alike), default=costs[worst])
        entered = cost < rival - search.tolerance
        stale = 0 if entered else stale + 1
        if entered:
            members[worst], costs[worst] = child, cost
        if stale >= STALE:  # the worse half gives way to new annealed founders
            stale = 0
            ranked = sorted(range(len(members)), key=lambda k: costs[k])
            for k in ranked[len(ranked) // 2 :]:
                child = [-1] * len(sizes)
                search.insert(child, list(range(len(sizes))), SPREAD)
                members[k] = search.improve(search.settle(child))
                search.remember(members[k])
            costs = [search.cost(member) for member in members]
        search.steps = max(search.steps, before + CHILD_STEPS)  # the cost of making a child
    ranked = sorted(range(len(members)), key=lambda k: costs[k])
    starts = [members[k] for k in ranked]
    return polish(gpus, memory, sizes, rates, search.best, starts)
