"""Expected eventual fill of a machine: soft dynamic program over the observed job types."""

import math

import numpy as np

BETA = 60.0          # choosiness: 0 = random arrivals, large = perfect knapsack fill
PRIOR = 2.0          # weight of the invented jobs used before enough real ones were seen
PRIOR_UNTIL = 25     # invented jobs are dropped after so many real ones
GROWTH = 1.15        # the table is rebuilt when the number of jobs has grown by this factor
MAX_TYPES = 32
TIE = 0.002          # preference for full machines
WORK_LIMIT = 24_000_000
NEG = -1e9


class Scheduler:
    """Keeps the job mix and the table of values."""

    def __init__(self, cpu: int, memory: int, machines: int) -> None:
        self.cpu = cpu
        self.memory = memory
        self.machines = machines
        self.seen = 0
        self.counts = {}
        self.next_build = 1
        self.work = 0
        self.table = None
        self.unit_c = 1
        self.unit_m = 1

    def _weight(self, c: int, m: int) -> float:
        return 0.5 * (c / self.cpu + m / self.memory)

    def _build(self) -> None:
        mix = {}
        top = sorted(self.counts.items(), key=lambda kv: (-kv[1], kv[0]))[:MAX_TYPES]
        for key, n in top:
            if key[0] >= 1 and key[1] >= 1:
                mix[key] = mix.get(key, 0.0) + float(n)
        if self.seen < PRIOR_UNTIL or not mix:
            sizes = (1, 2, 4, 8)
            for s in sizes:
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
        if self.table is not None and self.work + cost > WORK_LIMIT:
            return
        self.work += cost
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
        self.table = np.ascontiguousarray(value[:, pad:])
        self.unit_c = gc
        self.unit_m = gm

    def place(self, cpu: int, memory: int, free_cpu: list[int], free_memory: list[int]) -> int:
        """Index of the machine for the job."""
        self.seen += 1
        key = (cpu, memory)
        self.counts[key] = self.counts.get(key, 0) + 1
        if self.seen >= self.next_build or self.table is None:
            self._build()
            self.next_build = max(self.seen + 1, int(math.ceil(self.seen * GROWTH)))
        x = np.array(free_cpu, dtype=np.int64)
        y = np.array(free_memory, dtype=np.int64)
        fit = np.nonzero((x >= cpu) & (y >= memory))[0]
        xf = x[fit]
        yf = y[fit]
        table = self.table
        rows, cols = table.shape
        uc = self.unit_c
        um = self.unit_m
        x0 = np.minimum(xf // uc, rows - 1)
        y0 = np.minimum(yf // um, cols - 1)
        x1 = np.minimum((xf - cpu) // uc, rows - 1)
        y1 = np.minimum((yf - memory) // um, cols - 1)
        score = table[x1, y1] - table[x0, y0]
        score = score - TIE * (xf / self.cpu + yf / self.memory)
        return int(fit[int(np.argmax(score))])
