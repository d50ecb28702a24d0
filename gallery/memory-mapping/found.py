"""Bottom-up beam of niches (one layout for each set of placed buffers), on flat arrays and wide."""
import numpy as np

BUDGET = 730e6         # elements handled by the beam in all passes
# one pass each: value of area per unit of the power, log2 of the power, most children of one state, share of
# the buffers (the smallest areas) that make no niche of their own
PASSES = (
    (0.03, 4, 1000, 0.0),
    (0.05, 5, 1000, 0.0),
    (0.10, 4, 2, 0.0),
    (0.05, 6, 1000, 0.25),
    (0.07, 5, 3, 0.0),
    (0.04, 3, 3, 0.0),
)
DEEP = 8               # children looked at for niches, in widths of the beam
WIDER = 4              # children worked out exactly, in widths of the beam
MAX_WIDTH = 1500
SEED = 5


def place(buffers: list[list[int]]) -> list[int]:
    """An offset for each buffer."""
    if not buffers:
        return []
    indices = range(len(buffers))

    def peak(offsets):
        return max(o + row[2] for o, row in zip(offsets, buffers))

    keys = [
        lambda i: -buffers[i][2],
        lambda i: -buffers[i][2] * (buffers[i][1] - buffers[i][0]),
        lambda i: buffers[i][0] - buffers[i][1],
        lambda i: buffers[i][0],
    ]
    best = min((first_fit(buffers, sorted(indices, key=key)) for key in keys), key=peak)
    beam = Beam(buffers)
    for alpha, squarings, brothers, coarse in PASSES:
        if peak(best) <= beam.bound:
            break
        answer = beam.search(alpha * 2 ** squarings, squarings, brothers, coarse, peak(best))
        if answer:
            best = first_fit(buffers, sorted(indices, key=lambda i: answer[i]))
    return best


def first_fit(buffers, order):
    """Offsets of buffers that are placed in this order."""
    placed = {}
    for i in order:
        start, end, size = buffers[i]
        offset = 0
        for low, j in sorted((placed[j], j) for j in placed if buffers[j][0] < end and start < buffers[j][1]):
            if low - offset >= size:
                break
            offset = max(offset, low + buffers[j][2])
        placed[i] = offset
    return [placed[i] for i in range(len(buffers))]


def power(x, squarings):
    """x to the power 2 ** squarings."""
    for _ in range(squarings):
        x = x * x
    return x


class Beam:
    """The tables of one instance."""

    def __init__(self, buffers):
        start, end, size = np.array(buffers, dtype=np.int64).T
        n = self.n = len(buffers)
        starts = np.unique(start)
        # of the starts those after which a buffer ends before the next one starts
        steps = starts[np.diff(np.searchsorted(np.sort(end), [*starts, end.max()], side="right")) > 0]
        self.big = int(2 * size.sum() + 10)
        self.kind = np.int32 if self.big < 2 ** 29 else np.int64
        self.size = size.astype(self.kind)
        self.cover = (start[:, None] <= steps) & (steps < end[:, None])     # buffers, sections
        self.overlap = ((start[:, None] < end) & (start < end[:, None])).astype(self.kind)
        self.weight = (self.cover * size[:, None]).astype(self.kind)
        self.load = self.weight.sum(axis=0).astype(self.kind)
        self.bound = int(self.load.max())
        self.area = self.weight.sum(axis=1) / float(self.load.sum())
        groups = [np.flatnonzero(self.cover[:, t]) for t in range(len(steps))]
        depth = max(len(group) for group in groups)
        self.members = np.array([np.resize(group, depth) for group in groups])   # sections, buffers (some twice)
        self.low = self.cover.argmax(axis=1)
        self.many = self.cover.sum(axis=1)
        kinds = np.unique(np.array(buffers), axis=0, return_inverse=True)[1].reshape(-1)    # equal buffers are one
        self.code = np.random.RandomState(SEED).randint(1, 2 ** 62, size=n)[kinds]
        total, sections = int(self.many.sum()), len(steps)
        children = 1 + 0.6 * total / sections
        cost = 5 * n + 4 * sections + children * (15 * total / n + 25) + WIDER * (2 * total + 5 * n + 8 * sections)
        self.width = max(2, min(MAX_WIDTH, int(BUDGET / (cost * n * len(PASSES)))))

    def search(self, alpha, squarings, brothers, coarse, limit):
        """Offsets with a peak below the limit, or None."""
        n, big, width = self.n, self.big, self.width
        alpha = alpha * len(self.load)
        scale = np.float32(1 / self.bound)
        code = self.code.copy()
        code[np.argsort(self.area, kind="stable")[: int(coarse * n)]] = 0
        floor = np.zeros((n, 1), dtype=self.kind)      # buffers, states; big where placed
        remain = self.load[:, None].copy()             # sections, states: remaining load
        value = remain.copy()                          # floor plus remaining load
        height = np.zeros_like(remain)                 # lowest floor
        barrier = power(value.astype(np.float32) * scale, squarings)
        base = barrier.sum(axis=0) + alpha
        left = np.ones(1)
        peak = np.zeros(1, dtype=np.int64)
        mark = np.zeros(1, dtype=np.int64)
        history = []
        for _ in range(n):
            # the lowest open section of each state; of equal ones the one with most to come
            rank = np.where(remain > 0, height.astype(np.int64) * (self.bound + 1) - remain, 2 ** 62)
            able = np.take(self.cover, rank.argmin(axis=0), axis=1) & (floor < big)
            able &= floor < np.where(able, floor + self.size[:, None], big).min(axis=0)
            able &= floor < limit - self.size[:, None]
            cells = np.flatnonzero(able.ravel())
            if len(cells) == 0:
                return None
            states = floor.shape[1]
            buffer, state = np.divmod(cells, states)
            rest = floor.ravel().take(cells)
            top = rest + self.size[buffer]
            new_peak = np.maximum(peak[state], top)
            # first stage: only the sections that the child covers
            many = self.many[buffer]
            begin = np.cumsum(many) - many
            child = np.repeat(np.arange(len(buffer)), many)
            section = np.arange(len(child)) - np.repeat(begin - self.low[buffer], many)
            spot = section * states + state.take(child)
            level = np.maximum(rest.take(child) + remain.ravel().take(spot), value.ravel().take(spot))
            gain = power(level.astype(np.float32) * scale, squarings) - barrier.ravel().take(spot)
            score = base[state] + np.add.reduceat(gain, begin) - alpha * self.area[buffer]
            fits = np.maximum(new_peak, np.maximum.reduceat(level, begin)) < limit
            order = np.argsort(score, kind="stable")
            order = order[fits[order]]
            if brothers < n:
                parents = state[order]
                grouped = np.argsort(parents, kind="stable")
                among = np.empty(len(order), dtype=np.int64)
                among[grouped] = np.arange(len(order)) - np.searchsorted(parents[grouped], parents[grouped])
                order = order[among < brothers]
            order = order[: width * DEEP]
            new_mark = mark[state] + code[buffer]     # the set of the placed buffers
            unique = np.sort(np.unique(new_mark[order], return_index=True)[1])
            keep = order[unique[: width * WIDER]]
            if len(keep) == 0:
                return None
            buffer, state, rest, top = buffer[keep], state[keep], rest[keep], top[keep]
            new_peak, new_mark = new_peak[keep], new_mark[keep]
            # second stage: floors, skyline and all values
            new_floor = np.maximum(np.take(floor, state, axis=1), np.take(self.overlap, buffer, axis=1) * top)
            new_floor[buffer, np.arange(len(buffer))] = big
            new_remain = np.take(remain, state, axis=1) - self.weight[buffer].T
            new_height = np.take(new_floor, self.members, axis=0).min(axis=1)
            new_value = np.where(new_remain > 0, new_height + new_remain, np.take(value, state, axis=1))
            new_barrier = power(new_value.astype(np.float32) * scale, squarings)
            new_left = left[state] - self.area[buffer]
            score = new_barrier.sum(axis=0) + alpha * new_left
            fits = np.maximum(new_peak, new_value.max(axis=0)) < limit
            order = np.argsort(score, kind="stable")
            keep = order[fits[order]][:width]
            if len(keep) == 0:
                return None
            history.append((state[keep], buffer[keep], rest[keep]))
            floor, remain, height, value, barrier = (
                np.take(x, keep, axis=1) for x in (new_floor, new_remain, new_height, new_value, new_barrier))
            base, left, peak, mark = score[keep], new_left[keep], new_peak[keep], new_mark[keep]
        at = int(peak.argmin())
        offsets = [0] * n
        for state, buffer, rest in reversed(history):
            offsets[int(buffer[at])] = int(rest[at])
            at = int(state[at])
        return offsets
