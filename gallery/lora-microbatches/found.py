"""Place by place: every place gets a target load (ramp up, plateau, ramp down), filled by exact subset sums; the
profile is chosen by simulating 1F1B."""

import bisect
import random

EXACT_ITEMS = 20
SPARE = 4.325
SEED = 5
MOVE_SHARE = 0.4
REACH = 3
TOTAL_OPERATIONS = 58000
START_SHARE = 0.12
END_SHARE = 0.25
LEVELS = (1.0, 0.93, 0.86)
VARIANTS = ((0, 1), (2, 0), (2, 1), (1, 0))
STEPS = (0.045, 0.022, 0.012)
FACTOR = 1.3
WIDE = (0.6, 1.6)
START_SHARES = (0.02, 0.05, 0.08, 0.14, 0.25)
END_SHARES = (0.1, 0.18, 0.28, 0.4, 0.55)
TUNE_LEVEL = 0.94
OPERATIONS = 41000


def schedule(stages, capacity, tile, times, samples):
    plan = Planner(stages, capacity, tile, times, samples)
    best = None
    seen = set()

    def attempt(level, start, end, policy, even):
        nonlocal best
        key = (level, start, end, policy, even)
        if key in seen or best is not None and plan.ops > OPERATIONS:
            return
        seen.add(key)
        answer = plan.build(level, start, end, policy, even)
        ticks = plan.ticks(answer)
        if best is None or ticks < best[0]:
            best = (ticks, answer, key)

    start, end = START_SHARE, END_SHARE
    for _ in range(2):
        end = min(END_SHARES, key=lambda x: plan.profile(TUNE_LEVEL, start, x))
        start = min(START_SHARES, key=lambda x: plan.profile(TUNE_LEVEL, x, end))
    for level in LEVELS:
        attempt(level, start, end, 0, 0)
    for factor in WIDE:
        level, start, end, policy, even = best[2]
        attempt(level, start, end * factor, policy, even)
    for policy, even in VARIANTS:
        attempt(*best[2][:3], policy, even)
    for step in STEPS:
        for sign in (1, -1):
            level, start, end, policy, even = best[2]
            attempt(min(1.0, level + sign * step), start, end, policy, even)
        for factor in (1 / FACTOR, FACTOR):
            level, start, end, policy, even = best[2]
            attempt(level, start, end * factor, policy, even)
            attempt(level, start * factor, end, policy, even)
    polished = plan.polish(best[1], TOTAL_OPERATIONS)
    return polished if plan.ticks(polished) < best[0] else best[1]


class Planner:
    def __init__(self, stages, capacity, tile, times, samples):
        self.stages, self.tile, self.samples = stages, tile, samples
        self.cap = capacity // tile
        self.times = times
        self.ops = 0
        batches = {}
        for i, (a, b, n) in enumerate(samples):
            batches.setdefault(a, {}).setdefault(b, []).append((n, i))
        self.adapters = sorted(batches)
        self.queue = {a: [sorted(batches[a][b]) for b in sorted(batches[a])] for a in self.adapters}
        self.sums = {a: [sum(n for n, i in items) for items in self.queue[a]] for a in self.adapters}
        self.tail = {}
        gap = stages - 1
        for a in self.adapters:
            tail = [0.0]
            for total in reversed(self.sums[a]):
                tail.append(tail[-1] + total / tile / self.cap + gap)
            self.tail[a] = tail[::-1]  # tail[p]: places from batch p on

    def profile(self, level, start, end):
        """Ticks of the bare profile, filled without any waste."""
        cap, stages = self.cap, self.stages
        f0, f1, b0, b1 = self.times
        g1, c1 = max(f1, 1e-9), max(b1, 1e-9)
        lag = max(1, stages - 1)
        top = max(1, round(level * cap))
        rise = lag * (f0 + g1 * start * cap)
        fall = b1 * end * cap
        work = sum(n for _, _, n in self.samples) / self.tile
        forward, backward = [], []
        while work > 0:
            x = min(top, (rise / lag - f0) / g1, (fall + g1 * work / lag) / (c1 + g1 / lag))
            k = min(max(1, min(cap, int(x + 0.5))), -int(-work // 1))
            forward.append(f0 + f1 * k)
            backward.append(b0 + b1 * k)
            rise += b0 + b1 * k
            work -= k
        self.ops += len(forward) * stages
        return simulate(forward, backward, stages)

    def build(self, level, start, end, policy, even):
        tile, cap, stages = self.tile, self.cap, self.stages
        f0, f1, b0, b1 = self.times
        f1, b1 = max(f1, 1e-9), max(b1, 1e-9)
        lag = max(1, stages - 1)
        top = max(1, round(level * cap))
        credit_start = lag * (f0 + f1 * start * cap)
        credit_end = lag * (b0 + b1 * end * cap)
        pos = {a: 0 for a in self.adapters}
        items = {a: self.queue[a][0] for a in self.adapters}
        left = {a: self.sums[a][0] for a in self.adapters}
        release = {a: 0 for a in self.adapters}
        opened = {}
        alive = list(self.adapters)
        work = sum(n for _, _, n in self.samples) / tile
        t = 0
        answer = []
        while alive:
            ready = [a for a in alive if release[a] <= t]
            if not ready:
                t = min(release[a] for a in alive)
                continue
            x = min(
                top,
                (credit_start / lag - f0) / f1,
                (credit_end / lag + f1 * work / lag - b0) / (b1 + f1 / lag),
            )
            if even and len(ready) < len(alive):
                span = min(release[a] for a in alive if release[a] > t) - t
                load = sum(-(-left[a] // tile) for a in ready)
                if load < x * span:
                    x = max(load / span + 0.999, 1)
            room = max(1, min(cap, int(x + 0.5)))
            if len(ready) == 1:
                pass
            elif policy == 0:
                ready.sort(key=lambda a: (a not in opened, -self.tail[a][pos[a] + 1] - left[a] / tile / cap, a))
            elif policy == 1:
                ready.sort(key=lambda a: (-self.tail[a][pos[a] + 1] - left[a] / tile / cap, a))
            else:
                ready.sort(key=lambda a: (opened.get(a, 1 << 30), release[a], -left[a], a))
            place = []
            used = 0
            self.ops += 30
            for rank, a in enumerate(ready):
                if room <= 0:
                    break
                need = -(-left[a] // tile)
                if need <= room:
                    place += [i for n, i in items[a]]
                    used += left[a]
                    room -= need
                    pos[a] += 1
                    release[a] = t + stages
                    opened.pop(a, None)
                    if pos[a] < len(self.queue[a]):
                        items[a] = self.queue[a][pos[a]]
                        left[a] = self.sums[a][pos[a]]
                    else:
                        alive.remove(a)
                    continue
                taken, total = self.fill(items[a], room * tile)
                if rank + 1 < len(ready) and tile <= room * tile - total < items[ready[rank + 1]][0][0]:
                    share = self.joint(items[a], items[ready[rank + 1]], room)
                    if share < room:
                        taken, total = self.fill(items[a], share * tile)
                if not taken:
                    continue
                place += [i for n, i in taken]
                chosen = {i for n, i in taken}
                items[a] = [item for item in items[a] if item[1] not in chosen]
                left[a] -= total
                used += total
                room -= -(-total // tile)
                opened.setdefault(a, t)
            if not place:
                a = min(ready, key=lambda a: items[a][0])
                n, i = items[a][0]
                place = [i]
                used = n
                items[a] = items[a][1:]
                left[a] -= n
                opened.setdefault(a, t)
                if not items[a]:
                    pos[a] += 1
                    release[a] = t + stages
                    opened.pop(a, None)
                    if pos[a] < len(self.queue[a]):
                        items[a] = self.queue[a][pos[a]]
                        left[a] = self.sums[a][pos[a]]
                    else:
                        alive.remove(a)
            answer.append(place)
            work -= used / tile
            credit_start += b0 + b1 * used / tile
            t += 1
        return answer

    def joint(self, items, others, room):
        """Tiles for the first of two adapters with which both fill a place best."""
        tile = self.tile
        limit = room * tile
        masks = []
        for group in (items, others):
            fits = bisect.bisect_right(group, (limit, 1 << 60))
            step = max(1, -(-fits // (2 * EXACT_ITEMS)))
            reach = 1
            for k in range(0, fits, step):
                reach |= reach << group[k][0]
                if k & 7 == 7:
                    reach &= (1 << (limit + 1)) - 1
            masks.append(reach)
            self.ops += fits // step
        best, share = -1, room
        self.ops += 20
        for tiles in range(room, -1, -1):
            first = (masks[0] & ((1 << (tiles * tile + 1)) - 1)).bit_length() - 1
            rest = (room + (-first // tile)) * tile
            second = (masks[1] & ((1 << (rest + 1)) - 1)).bit_length() - 1
            if first + second > best:
                best, share = first + second, tiles
                if limit - best < tile:
                    break
        return share

    def fill(self, items, limit):
        """The largest token sum within the limit, of large samples where there is a choice."""
        fits = bisect.bisect_right(items, (limit, 1 << 60))
        taken = []
        got = 0
        if fits > EXACT_ITEMS:
            # large samples first, exact only for the rest of the place
            items = items[:fits]
            while len(items) > EXACT_ITEMS and limit - got > SPARE * items[-1][0]:
                item = items.pop()
                taken.append(item)
                got += item[0]
            fits = bisect.bisect_right(items, (limit - got, 1 << 60))
            if fits > EXACT_ITEMS:
                items = [items[k * fits // EXACT_ITEMS] for k in range(EXACT_ITEMS)]
            else:
                items = items[:fits]
            fits = len(items)
        self.ops += fits + 20
        limit -= got
        reach = 1
        mask = (1 << (limit + 1)) - 1
        prefix = [1]
        for n, i in items:
            if n > limit:
                break
            reach |= (reach << n) & mask
            prefix.append(reach)
        rest = reach.bit_length() - 1
        total = got + rest
        k = len(prefix) - 1
        while rest > 0:
            n = items[k - 1][0]
            if n <= rest and prefix[k - 1] >> (rest - n) & 1:
                taken.append(items[k - 1])
                rest -= n
            k -= 1
        return taken, total

    def ticks(self, answer):
        samples, tile, stages = self.samples, self.tile, self.stages
        f0, f1, b0, b1 = self.times
        loads = []
        last = {}
        for place in answer:
            tokens = {}
            at = len(loads)
            for i in place:
                a, b, n = samples[i]
                if a in tokens:
                    tokens[a] += n
                else:
                    tokens[a] = n
                    if a in last and last[a][0] != b:
                        at = max(at, last[a][1] + stages)
            while len(loads) < at:
                loads.append(0)
            for i in place:
                last[samples[i][0]] = (samples[i][1], at)
            loads.append(sum(-(-n // tile) for n in tokens.values()))
        self.ops += 2 * len(loads) * stages
        forward = [f0 + f1 * k if k else 0 for k in loads]
        backward = [b0 + b1 * k if k else 0 for k in loads]
        return simulate(forward, backward, stages)


    def polish(self, answer, limit):
        """Moves and swaps inside the windows of the batches, led by the critical path of the simulation."""
        samples, tile, stages, cap = self.samples, self.tile, self.stages, self.cap
        f0, f1, b0, b1 = self.times
        rng = random.Random(SEED)
        spots, last = [], {}
        for place in answer:
            at = spots[-1] + 1 if spots else 0
            for i in place:
                a, b, n = samples[i]
                if a in last and last[a][0] != b and last[a][1] + stages > at:
                    at = last[a][1] + stages
            for i in place:
                last[samples[i][0]] = (samples[i][1], at)
            spots.append(at)
        count = spots[-1] + 1
        where = {}
        held = [[] for _ in range(count)]
        tokens = [{} for _ in range(count)]
        for place, at in zip(answer, spots):
            for i in place:
                a, b, n = samples[i]
                where[i] = at
                held[at].append(i)
                tokens[at][a] = tokens[at].get(a, 0) + n
        loads = [sum(-(-n // tile) for n in tokens[p].values()) for p in range(count)]
        forward = [f0 + f1 * k if k else 0 for k in loads]
        backward = [b0 + b1 * k if k else 0 for k in loads]
        members = {}
        for i, (a, b, n) in enumerate(samples):
            members.setdefault((a, b), []).append(i)
        keys = {}
        for a in self.adapters:
            numbers = sorted({b for c, b in members if c == a})
            for x, b in enumerate(numbers):
                keys[a, b] = (numbers[x - 1] if x else None, numbers[x + 1] if x + 1 < len(numbers) else None)
        ticks, weight = critical(forward, backward, stages, f1, b1)
        total = len(samples)
        self.ops += 4 * count * stages
        while self.ops < limit:
            self.ops += 20
            i = rng.randrange(total)
            a, b, n = samples[i]
            p = where[i]
            if rng.random() < MOVE_SHARE:
                before, after = keys[a, b]
                low = 0 if before is None else max(where[k] for k in members[a, before]) + stages
                high = count - 1 if after is None else min(where[k] for k in members[a, after]) - stages
                q = rng.randint(max(low, p - REACH), max(low, p - REACH, min(high, p + REACH)))
                if q == p or not held[q] or len(held[p]) < 2:
                    continue
                have = tokens[q].get(a, 0)
                # two batches of one adapter never share a place: the window excludes it
                j, m = -1, 0
            else:
                j = rng.choice(members[a, b])
                q = where[j]
                m = samples[j][2]
                if q == p or m == n:
                    continue
                have = tokens[q][a]
            out = tokens[p][a]
            dp = -(-(out - n + m) // tile) - -(-out // tile)
            dq = -(-(have + n - m) // tile) - -(-have // tile)
            if loads[q] + dq > cap or loads[p] + dp > cap:
                continue
            if dp * weight[p] + dq * weight[q] > 0 or dp == dq == 0:
                continue
            old = forward[p], backward[p], forward[q], backward[q]
            forward[p] += f1 * dp
            backward[p] += b1 * dp
            forward[q] += f1 * dq
            backward[q] += b1 * dq
            self.ops += count * stages // 2
            now = simulate(forward, backward, stages)
            if now > ticks:
                forward[p], backward[p], forward[q], backward[q] = old
                continue
            held[p].remove(i)
            held[q].append(i)
            where[i] = q
            if j >= 0:
                held[q].remove(j)
                held[p].append(j)
                where[j] = p
            tokens[p][a] += m - n
            if not tokens[p][a]:
                del tokens[p][a]
            tokens[q][a] = have + n - m
            loads[p] += dp
            loads[q] += dq
            self.ops += count * stages
            ticks, weight = critical(forward, backward, stages, f1, b1)
        return [place for place in held if place]


def critical(forward, backward, stages, f1, b1):
    """Ticks, and what a tile more costs at each place along one critical path."""
    count = len(forward)
    ends_f = [[0] * count for _ in range(stages)]
    ends_b = [[0] * count for _ in range(stages + 1)]
    free = [0] * stages
    for i in range(count + stages - 1):
        arrive = 0
        j = i - stages + 1
        for s in range(stages):
            now = free[s]
            if i < count:
                if arrive > now:
                    now = arrive
                now += forward[i]
                arrive = ends_f[s][i] = now
            if 0 <= j < count:
                if ends_b[s + 1][j] > now:
                    now = ends_b[s + 1][j]
                now += backward[j]
                ends_b[s][j] = now
            free[s] = now
            j += 1
    weight = [0] * count
    back, i, s = True, count - 1, 0
    while i >= 0:
        if back:
            weight[i] += b1
            start = ends_b[s][i] - backward[i]
            if s < stages - 1 and ends_b[s + 1][i] == start:
                s += 1
            elif i + stages - 1 - s < count:
                back, i = False, i + stages - 1 - s
            else:
                i -= 1
        else:
            weight[i] += f1
            start = ends_f[s][i] - forward[i]
            if s and ends_f[s - 1][i] == start:
                s -= 1
            elif i >= stages - s:
                back, i = True, i - stages + s
            else:
                i -= 1
    return ends_b[0][count - 1], weight


def simulate(forward, backward, stages):
    count = len(forward)
    free = [0] * stages
    done = [0] * (stages + 1)
    full = range(stages)
    for i in range(count + stages - 1):
        arrive = 0
        j = i - stages + 1
        if 0 <= j and i < count:  # every stage does one forward and one backward pass
            work = forward[i]
            for s in full:
                now = free[s]
                if arrive > now:
                    now = arrive
                now += work
                arrive = now
                if done[s + 1] > now:
                    now = done[s + 1]
                now += backward[j]
                done[s] = free[s] = now
                j += 1
            continue
        for s in full:
            now = free[s]
            if i < count:
                if arrive > now:
                    now = arrive
                now += forward[i]
                arrive = now
            if 0 <= j < count:
                if done[s + 1] > now:
                    now = done[s + 1]
                now += backward[j]
                done[s] = now
            free[s] = now
            j += 1
    return done[0]
