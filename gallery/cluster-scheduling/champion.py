"""Plan, table and protection whose weights shift from balance to hosts as the queue runs out."""

import math

import numpy as np

MIX = 0.4            # share of the imbalance in the value of a machine, the rest: expected fill
SCALE = 0.6          # share of the imbalance that is thought lost
FILL = 0.95          # share of the room left that the future brings: one estimate
HORIZON = 0.5        # weight of that estimate, the rest: queue expected less jobs placed
PROTECT = 0.8        # price of a host of large jobs when jobs are scarce
CROWD = 1.05         # work left / fill to be expected, at which hosts are worth half of that
CROWD_WIDTH = 0.04   # how fast the price falls with more work than room
QUEUE = 0.94         # work of the whole queue as a share of the initial free room, for that ratio
FLAT = 0.5           # loss of the table's say, late in a queue that leaves room
LATE_TIE = 0.03      # additional preference for full machines then
LATE_PROTECT = 0.5   # additional price of hosts then
OTHERS = 0.1         # share of the hosts of the other types beside the most endangered one
SPREAD = 1.5         # standard deviation of the number of jobs to come, over Poisson
SMALL = 0.025        # types of less weight (share of a machine) are not protected
BIG_PRIOR = 0.4      # invented jobs of each of three large shapes, for the protection alone
JOB_SHARE = 0.5      # imbalance is measured from: 1 the direction of the jobs, 0 that of the free room
DIRECTION_PRIOR = 10.0
DISPLACE = 0.3       # price of the weight of planned larger jobs that the job would drive out
TOTAL = 0.97         # weight of the whole queue as a share of the initial free room
FLOOR = 0.10         # the future is at least this share of the room left
PLANS = 1            # orders in which the future is packed
SURPLUS = 0.3        # standard deviations of jobs planned beyond the mean, largest first
TYPE_COST = 3        # effort for a type in a plan, in placements
PLAN_FROM = 10       # no plan before so many jobs
VOTE = 0.08          # worth of a planned slot
BETA = 60.0          # choosiness of the soft dynamic program
PRIOR = 2.7          # weight of invented jobs at the beginning
PRIOR_UNTIL = 25
GROWTH = 1.4         # table is rebuilt when the number of jobs has grown by this factor
MAX_TYPES = 32
TIE = 0.015          # preference for full machines
BUILD_LIMIT = 12_000_000
PLAN_LIMIT = 55_000  # offline placements in all
NEG = -1e9
BIG = 1e18


class Scheduler:
    """Keeps the job mix, the table of values and the planned slots."""

    def __init__(self, cpu: int, memory: int, machines: int) -> None:
        self.cpu = cpu
        self.memory = memory
        self.machines = machines
        self.seen = 0
        self.counts = {}
        self.placed = 0.0
        self.room0 = -1.0
        self.next_build = 1
        self.build_work = 0
        self.sum_u = 0.0
        self.sum_v = 0.0
        self.slope = 1.0
        self.fill = None
        self.table = None
        self.uc = 1
        self.um = 1
        self.next_plan = PLAN_FROM
        self.plan_work = 0
        self.slots = {}
        self.larger = [[] for _ in range(machines)]  # planned jobs, largest first: weight, cpu, memory

    def _weight(self, c: int, m: int) -> float:
        return 0.5 * (c / self.cpu + m / self.memory)

    def _build(self) -> None:
        mix = {}
        top = sorted(self.counts.items(), key=lambda kv: (-kv[1], kv[0]))[:MAX_TYPES]
        for key, n in top:
            if key[0] >= 1 and key[1] >= 1:
                mix[key] = mix.get(key, 0.0) + float(n)
        if self.seen < PRIOR_UNTIL or not mix:
            for s in (1, 2, 4, 8):
                c = max(1, self.cpu * s // 64)
                for ratio in (0.5, 1.0, 2.0):
                    m = max(1, int(round(self.memory * c / self.cpu * ratio)))
                    if c <= self.cpu and m <= self.memory:
                        mix[(c, m)] = mix.get((c, m), 0.0) + PRIOR / 12.0
        gc = 0
        gm = 0
        for c, m in mix:
            gc = math.gcd(gc, c)
            gm = math.gcd(gm, m)
        gc = max(1, gc)
        gm = max(1, gm)
        keys = sorted(mix)
        cs = np.array([k[0] // gc for k in keys], dtype=np.int64)
        ms = np.array([k[1] // gm for k in keys], dtype=np.int64)
        ps = np.array([mix[k] for k in keys], dtype=float)
        ps /= ps.sum()
        gain = np.array([self._weight(k[0], k[1]) for k in keys], dtype=float)
        rows = self.cpu // gc + 1
        cols = self.memory // gm + 1
        cost = rows * (cols * len(keys) + 2000)
        if self.table is not None and self.build_work + cost > BUILD_LIMIT:
            return
        self.build_work += cost
        pad = int(ms.max())
        value = np.full((rows, cols + pad), NEG)
        value[:, pad:] = 0.0
        index = np.arange(cols)[None, :] + (pad - ms)[:, None]
        p2 = ps[:, None]
        g2 = gain[:, None]
        for x in range(int(cs.min()), rows):
            k = int(np.searchsorted(cs, x, side="right"))
            q = value[(x - cs[:k])[:, None], index[:k]] + g2[:k]
            mx = q.max(axis=0)
            e = np.exp(BETA * (q - mx))
            e *= p2[:k]
            v = (e * q).sum(axis=0) / e.sum(axis=0)
            value[x, pad:] = np.where(mx < -1.0, 0.0, v)
        self.fill = value[:, pad:].copy()
        u = (np.arange(rows) * (gc / self.cpu))[:, None]
        v = (np.arange(cols) * (gm / self.memory))[None, :]
        room = u + v
        smallest_c = min(k[0] for k in keys) / self.cpu
        smallest_m = min(k[1] for k in keys) / self.memory
        dead = (u < smallest_c - 1e-9) | (v < smallest_m - 1e-9)
        a = 2.0 * self.slope / (1.0 + self.slope)
        stranded = np.minimum(room, SCALE * (a * u - (2.0 - a) * v) ** 2 / (room + 1e-6))
        stranded = np.where(dead, room, stranded)
        # the room itself counts the same on every machine: value = fill, or room less stranded
        self.table = (1.0 - MIX) * value[:, pad:] + MIX * (0.5 * room - stranded)
        self.after = self.table.ravel()
        self.before = (self.table + TIE * room).ravel()
        self.quick_after = self.after.tolist()
        self.quick_before = self.before.tolist()
        self.uc = gc
        self.um = gm

    def _future(self, x: np.ndarray, y: np.ndarray) -> float:
        room = 0.5 * (float(x.sum()) / self.cpu + float(y.sum()) / self.memory)
        rest = max(FLOOR * room, TOTAL * self.room0 - self.placed)
        return HORIZON * FILL * room + (1.0 - HORIZON) * rest

    def _plan(self, x: np.ndarray, y: np.ndarray) -> None:
        """Packs the expected future in several orders; keeps the plan that places most weight."""
        weight = {k: self._weight(k[0], k[1]) for k in self.counts}
        keys = sorted(self.counts, key=lambda k: (-weight[k], k))
        total = float(sum(self.counts.values()))
        mean = sum(self.counts[k] * weight[k] for k in keys) / total
        future = self._future(x, y) / max(mean, 1e-9)
        effort = PLANS * (future + TYPE_COST * len(keys))
        left = PLAN_LIMIT - self.plan_work
        if effort > left:
            self.next_plan = 1 << 60
            return
        self.plan_work += int(effort)
        self.next_plan = self.seen + max(1, int(math.ceil(effort * (future + 1.0) / (2.0 * left))))
        cum = np.cumsum([future * self.counts[k] / total for k in keys])
        cum = np.floor(cum + SURPLUS * np.sqrt(cum) + 0.5).astype(np.int64)
        wanted = dict(zip(keys, np.diff(cum, prepend=0).tolist()))
        orders = [
            keys,
            sorted(keys, key=lambda k: (-max(k[0] / self.cpu, k[1] / self.memory), k)),
            sorted(keys, key=lambda k: (-max(k[0] / self.cpu, k[1] / self.memory) - weight[k], k)),
        ]
        most = -1.0
        for order in orders[:PLANS]:
            worth, slots, planned = self._pack(x, y, order, wanted, weight)
            if worth > most + 1e-9:
                most = worth
                self.slots = slots
                self.larger = planned
        for jobs in self.larger:
            jobs.sort(reverse=True)

    def _pack(self, x: np.ndarray, y: np.ndarray, order: list, wanted: dict, weight: dict) -> tuple:
        """Weight placed, slots of each type and the jobs of each machine."""
        rows, cols = self.table.shape
        uc = self.uc
        um = self.um
        ux = np.minimum(x // uc, rows - 1)
        uy = np.minimum(y // um, cols - 1)
        cell = ux * cols + uy
        base = self.before[cell]
        after = self.after
        quick_after = self.quick_after
        quick_before = self.quick_before
        worth = 0.0
        slots = {}
        planned = [[] for _ in range(len(ux))]
        for key in order:
            row = np.zeros(len(ux))
            slots[key] = row
            if wanted[key] <= 0:
                continue
            entry = (weight[key], key[0], key[1])
            c = -(-key[0] // uc)
            m = -(-key[1] // um)
            step = c * cols + m
            ok = (ux >= c) & (uy >= m)
            score = np.where(ok, after[np.maximum(cell - step, 0)] - base, -BIG)
            for _ in range(wanted[key]):
                i = int(score.argmax())
                if score[i] <= -BIG:
                    break
                worth += entry[0]
                row[i] += 1.0
                planned[i].append(entry)
                a = int(ux[i]) - c
                b = int(uy[i]) - m
                ux[i] = a
                uy[i] = b
                k = a * cols + b
                cell[i] = k
                z = quick_before[k]
                base[i] = z
                score[i] = quick_after[k - step] - z if a >= c and b >= m else -BIG
        return worth, slots, planned

    def _protection(self, x: np.ndarray, y: np.ndarray, cpu: int, memory: int) -> np.ndarray:
        """Weight put at risk by the hosts of large jobs that the job destroys, for each machine."""
        big = {}
        for a, b in ((2, 2), (2, 4), (4, 2)):
            big[(max(1, self.cpu // a), max(1, self.memory // b))] = BIG_PRIOR
        mass = 0.0
        for key, n in self.counts.items():
            w = self._weight(key[0], key[1])
            mass += n * w
            if w >= SMALL and key[0] >= 1 and key[1] >= 1:
                big[key] = big.get(key, 0.0) + n
        keys = sorted(big, key=lambda k: (-self._weight(k[0], k[1]), k))[:MAX_TYPES]
        rate = self._future(x, y) / max(mass, 1e-9)
        c = np.array([k[0] for k in keys], dtype=np.int64)
        m = np.array([k[1] for k in keys], dtype=np.int64)
        n = np.array([big[k] for k in keys], dtype=float)
        w = 0.5 * (c / self.cpu + m / self.memory)
        larger = (c[None, :] >= c[:, None]) & (m[None, :] >= m[:, None])
        need = rate * (larger * n[None, :]).sum(axis=1)
        before = np.minimum(x[None, :] // c[:, None], y[None, :] // m[:, None])
        x = np.maximum(x - cpu, 0)
        y = np.maximum(y - memory, 0)
        after = np.minimum(x[None, :] // c[:, None], y[None, :] // m[:, None])
        z = (before.sum(axis=1) - 0.5 - need) / (SPREAD * np.sqrt(need + 0.25))
        tail = np.array([0.5 * math.erfc(t / 1.4142135623730951) for t in z.tolist()])
        risk = (w * tail)[:, None] * (before - after)
        most = risk.max(axis=0)
        return most + OTHERS * (risk.sum(axis=0) - most)

    def place(self, cpu: int, memory: int, free_cpu: list[int], free_memory: list[int]) -> int:
        """Index of the machine for the job."""
        self.seen += 1
        key = (cpu, memory)
        self.counts[key] = self.counts.get(key, 0) + 1
        x = np.array(free_cpu, dtype=np.int64)
        y = np.array(free_memory, dtype=np.int64)
        if self.room0 < 0.0:
            self.room0 = 0.5 * (float(x.sum()) / self.cpu + float(y.sum()) / self.memory)
        self.sum_u += cpu / self.cpu
        self.sum_v += memory / self.memory
        if self.table is None or self.seen >= self.next_build:
            prior = DIRECTION_PRIOR * 0.5 * (self.sum_u + self.sum_v) / self.seen
            jobs = (self.sum_v + prior) / (self.sum_u + prior)
            fleet = (float(y.sum()) / self.memory + 1e-6) / (float(x.sum()) / self.cpu + 1e-6)
            self.slope = jobs ** JOB_SHARE * min(4.0, max(0.25, fleet)) ** (1.0 - JOB_SHARE)
            self._build()
            self.next_build = max(self.seen + 1, int(math.ceil(self.seen * GROWTH)))
        if self.seen >= self.next_plan:
            self._plan(x, y)
        fit = np.nonzero((x >= cpu) & (y >= memory))[0]
        xf = x[fit]
        yf = y[fit]
        table = self.table
        rows, cols = table.shape
        x0 = np.minimum(xf // self.uc, rows - 1)
        y0 = np.minimum(yf // self.um, cols - 1)
        x1 = np.minimum((xf - cpu) // self.uc, rows - 1)
        y1 = np.minimum((yf - memory) // self.um, cols - 1)
        score = table[x1, y1] - table[x0, y0]
        # if small jobs fill every machine anyway, a lost large job costs little
        usable = self.fill[np.minimum(x // self.uc, rows - 1), np.minimum(y // self.um, cols - 1)].sum()
        ratio = max(0.0, QUEUE * self.room0 - self.placed) / max(1e-9, float(usable))
        t = min(30.0, max(-30.0, (ratio - CROWD) / CROWD_WIDTH))
        scarce = 1.0 / (1.0 + math.exp(t))
        late = scarce * min(1.0, self.placed / self.room0) if self.room0 > 0.0 else 0.0
        tie = TIE + LATE_TIE * late
        score = (1.0 - FLAT * late) * score - tie * (xf / self.cpu + yf / self.memory)
        score = score - PROTECT * (1.0 + LATE_PROTECT * late) * scarce * self._protection(x, y, cpu, memory)[fit]
        row = self.slots.get(key)
        if row is not None:
            score = score + VOTE * np.minimum(row[fit], 1.0)
        own = self._weight(cpu, memory)
        driven = []
        for i, a, b in zip(fit.tolist(), (xf - cpu).tolist(), (yf - memory).tolist()):
            loss = 0.0
            if row is None or row[i] < 0.5:
                for w, c, m in self.larger[i]:
                    if w <= own + 1e-12:
                        break
                    if c <= a and m <= b:
                        a -= c
                        b -= m
                    else:
                        loss += w
            driven.append(loss)
        score = score - DISPLACE * (0.3 + 0.7 * scarce) * np.array(driven)
        at = int(np.argmax(score))
        best = int(fit[at])
        if row is not None and row[best] >= 0.5:
            row[best] = max(0.0, row[best] - 1.0)
            if (own, cpu, memory) in self.larger[best]:
                self.larger[best].remove((own, cpu, memory))
        else:
            a = int(xf[at]) - cpu
            b = int(yf[at]) - memory
            kept = []
            for w, c, m in self.larger[best]:
                if c <= a and m <= b:
                    a -= c
                    b -= m
                    kept.append((w, c, m))
                else:
                    self.slots[(c, m)][best] = max(0.0, self.slots[(c, m)][best] - 1.0)
            if driven[at] > 0.0:
                self.next_plan = min(self.next_plan, self.seen + 1)
            self.larger[best] = kept
        self.placed += own
        return best
