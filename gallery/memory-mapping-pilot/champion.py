"""Skyline search that decides where slack is least, with backjumping; hardest group first."""

from itertools import groupby

import numpy as np

ROLL_MAX = 130  # with more buffers in the group the first rule decides alone
EASY = 3  # rules that are tried alone where the group's bound is below what is reached anyway
DEVIATIONS = (7, 4)  # other first buffers of the best and the second best rule
NODES = 400  # nodes of the skyline search per call
SPARE = 50  # nodes beyond the number of buffers and raises that one attempt may use
RAISES = 0.4  # raises that are expected, per buffer
FAILS = 20  # dead ends that one attempt may meet
GRIDS = (0.02, 0.01, 0.005)  # grids of targets, in peaks
BRANCH = 3  # buffers that are tried where any buffer of the run may be laid down
LOWEST, NARROWEST, TIGHTEST = 0, 1, 2  # the place where the search decides
# orders of the search: exponents of life and size, factor of the mean load, noise, any buffer that fits, place
ORDERS = (
    (1.0, 0.0, 0.0, 0.0, 0, TIGHTEST),
    (1.0, 0.3, 2.0, 0.0, 1, TIGHTEST),
    (1.0, 0.0, 0.0, 0.0, 0, NARROWEST),
    (1.0, 0.3, 0.0, 0.0, 1, LOWEST),
    (0.0, 1.0, 0.0, 0.0, 0, TIGHTEST),
    (0.6, 1.0, 2.0, 0.0, 1, TIGHTEST),
    (1.0, 0.5, 0.0, 1.0, 0, NARROWEST),
    (1.0, 0.4, 0.0, 0.6, 1, LOWEST),
    (0.5, 1.0, 0.0, 1.0, 0, TIGHTEST),
    (1.0, 0.5, 2.0, 0.5, 1, TIGHTEST),
)
FAR = 1e12
INF = 1 << 60
STOPPED = (-1, -1)  # the answer of a search that ran out of nodes
TIE = 1e-5  # weight of a mere tie break, in peaks
WEAK = 0.03
MEDIUM = 0.08
STRONG = 0.2
NOISE = 0.05
# (weight, exponent of life, exponent of size, factor of load, noise in peaks)
RULES = (
    (WEAK, 1.0, 0.0, 0.0, 0.0),
    (TIE, 1.0, 0.0, 0.0, 0.0),
    (MEDIUM, 1.0, 0.5, 0.0, 0.0),
    (STRONG, 1.0, 1.0, 0.0, 0.0),
    (TIE, 0.0, 1.0, 0.0, 0.0),
    (TIE, 1.0, 1.0, 0.0, 0.0),
    (MEDIUM, 1.0, 0.0, 0.0, 0.0),
    (MEDIUM, 0.5, 0.5, 3.0, 0.0),
    (STRONG, 0.0, 0.5, 3.0, 0.0),
    (WEAK, 1.0, 0.0, 0.0, NOISE),
    (MEDIUM, 1.0, 0.5, 0.0, NOISE),
)
TABLE = np.array(RULES)
COUNT = len(RULES)


def hardest_group(start, end, stack):
    """Indices of the group of buffers that shares no step with others and has the highest stack."""
    order = np.argsort(start, kind="stable")
    reach = np.maximum.accumulate(end[order])
    cut = np.flatnonzero(start[order][1:] >= reach[:-1]) + 1
    heads = np.concatenate([[0], cut])
    edges = np.concatenate([heads, [start.size]])
    which = int(np.argmax(np.maximum.reduceat(stack[order], heads)))
    return np.sort(order[edges[which] : edges[which + 1]])


def priority(
    start: np.ndarray,
    end: np.ndarray,
    size: np.ndarray,
    floor: np.ndarray,
    load: np.ndarray,
    unplaced_load: np.ndarray,
    stack: np.ndarray,
    hole: np.ndarray,
    others: np.ndarray,
    peak: float,
    top: float,
    progress: float,
) -> np.ndarray:
    """The smallest number goes first."""
    answer = np.full(start.size, np.inf)
    group = hardest_group(start, end, stack)
    scale = max(float(peak), 1.0)
    enough = max(scale, float(top), float(stack.max()))
    easy = float(stack[group].max()) < enough
    answer[group] = decide(start[group], end[group], size[group], floor[group], load[group], scale, enough, easy)
    return answer


def complete(score, gain, lifts, rule, forced=None):
    """Tops, keys and first buffers of completions by the rules."""
    n = score.shape[1]
    rows = np.arange(rule.size)
    base = rule * n
    tops = np.zeros(rule.size)
    total = np.zeros(rule.size)
    begin = None
    for step in range(n):
        pick = forced if step == 0 and forced is not None else score.argmin(axis=1)
        if step == 0:
            begin = pick
        where = base + pick
        new = score[rows, pick] + gain[where]
        score[rows, pick] = np.inf
        np.maximum(tops, new, out=tops)
        total += new
        lifted = lifts[where]
        lifted += new[:, None]
        np.maximum(score, lifted, out=score)
    return tops, tops + 1e-6 * total / n, begin


class Puzzle:
    """The skyline of a group, searched for a plan that stays at or below a target."""

    def __init__(self, heights, rest, lows, highs, sizes, order, anywhere, place):
        self.heights, self.rest = heights, rest
        self.lows, self.highs, self.sizes = lows, highs, sizes
        self.order, self.anywhere, self.place = order, anywhere, place
        self.starts = [[] for _ in range(len(heights) + 1)]
        for i in order:
            self.starts[lows[i]].append(i)

    def fit(self, a, b):
        """The first buffer of the order that fits the run, and the next ones that conflict with it."""
        used, lows, highs = self.used, self.lows, self.highs
        found = []
        left, right = a, b
        for i in self.order:
            if not used[i] and lows[i] >= a and highs[i] <= b and lows[i] < right and highs[i] > left:
                if not found:
                    left, right = lows[i], highs[i]
                found.append(i)
                if len(found) == BRANCH:
                    break
        return found

    def solve(self, target, budget):
        """The first buffer and the top of a plan, or None; and the nodes used."""
        self.p = self.heights + [INF]
        self.r = list(self.rest)
        self.used = [False] * len(self.sizes)
        self.plan = []
        self.tops = []
        self.target = target
        self.nodes = 0
        self.fails = 0
        self.budget = budget
        if self.search() is None:
            return (self.plan[0], max(self.tops)), self.nodes
        return None, self.nodes

    def search(self):
        """None if a plan is found, else the range of segments on which the failure depends."""
        self.nodes += 1
        if self.nodes > self.budget:
            return STOPPED
        p, r, used = self.p, self.r, self.used
        if self.place != LOWEST:
            # the narrowest or tightest valley: a run of equal heights with higher walls
            tightest = self.place == TIGHTEST
            a, b, lowest = -1, -1, INF
            least = INF
            spot, before, width, rising = 0, INF, 0, False
            for value, run in groupby(p):
                if rising and value > before:
                    # the slack is the target minus this sum, and the width breaks ties
                    rank = width - 1024 * (before + max(r[spot - width : spot])) if tightest else width
                    if rank < least:
                        a, b, lowest, least = spot - width, spot, before, rank
                rising = value < before
                before = value
                width = len(list(run))
                spot += width
            if a < 0:
                return None
        else:
            # the lowest run
            lowest = min(p)
            if lowest >= INF:
                return None
            a = p.index(lowest)
            b = a + 1
            while p[b] == lowest:
                b += 1
        low, high = a - 1, b + 1
        lows, highs, sizes = self.lows, self.highs, self.sizes
        if self.anywhere:
            fitting = self.fit(a, b)
        else:
            fitting = [i for i in self.starts[a] if not used[i] and highs[i] <= b]
        if len(fitting) > 1 and not self.anywhere:
            # buffers whose top is flush with a wall beside them come first
            one, two = p[a - 1] - lowest, p[b] - lowest
            flush = [i for i in fitting if sizes[i] == one or (sizes[i] == two and highs[i] == b)]
            if flush:
                fitting = flush + [i for i in fitting if i not in flush]
        for i in fitting:
            begin, stop = lows[i], highs[i]
            size = sizes[i]
            top = lowest + size
            row = r[begin:stop]
            less = [v - size for v in row]
            r[begin:stop] = less
            p[begin:stop] = [top if v > 0 else INF for v in less]
            used[i] = True
            self.plan.append(i)
            self.tops.append(top)
            result = self.search()
            if result is None or result is STOPPED:
                return result
            self.plan.pop()
            self.tops.pop()
            used[i] = False
            r[begin:stop] = row
            p[begin:stop] = [lowest] * (stop - begin)
            if result[1] <= begin or result[0] >= stop:
                return result
            if result[0] < low:
                low = result[0]
            if result[1] > high:
                high = result[1]
        if self.anywhere and fitting:
            return (low, high)
        level = min(p[a - 1], p[b])
        end = b
        for s in range(a + 1, b):
            for j in self.starts[s]:
                if not used[j] and self.highs[j] <= b:
                    end = s
                    level = min(level, lowest + self.sizes[j])
            if end < b:
                break
        if level >= INF or level + max(r[a:end]) > self.target:
            self.fails += 1
            return STOPPED if self.fails > FAILS else (low, high)
        p[a:end] = [level] * (end - a)
        result = self.search()
        if result is None or result is STOPPED:
            return result
        p[a:end] = [lowest] * (end - a)
        if result[1] <= a or result[0] >= end:
            return result
        return (min(low, result[0]), max(high, result[1]))


class Puzzles:
    """The puzzles of a group: from the left and from the right, in several orders, built when needed."""

    def __init__(self, start, end, size, floor):
        times = np.unique(np.concatenate([start, end]))
        at = times[:-1]
        cover = (start[:, None] <= at) & (end[:, None] > at)
        heights = np.where(cover, floor[:, None], np.inf).min(axis=0)
        self.sizes = [int(round(v)) for v in size.tolist()]
        self.heights = [int(round(v)) for v in heights.tolist()]
        rest = size @ cover
        self.rest = [int(round(v)) for v in rest.tolist()]
        # mean over the life of height + unplaced, in units of the largest one
        both = (heights + rest) * np.diff(times)
        self.mean_load = (cover @ both) / np.maximum(end - start, 1.0) / max(float((heights + rest).max()), 1.0)
        self.lows = np.searchsorted(times, start).tolist()
        self.highs = np.searchsorted(times, end).tolist()
        self.data = (start, end, size)
        self.built = {}
        self.turn = [k for k in range(2 * len(ORDERS)) if k % 2 == 0 or not ORDERS[k // 2][3]]

    def get(self, k):
        """Puzzle k; odd ones are mirrored."""
        if k not in self.built:
            start, end, size = self.data
            life_part, size_part, load_part, noise_part, anywhere, place = ORDERS[k // 2]
            wave = np.sin(start * 12.9898 + end * 78.233 + size * 37.719 + 7.31 * k) * 43758.5453
            key = (
                life_part * np.log(np.maximum(end - start, 1.0))
                + size_part * np.log(np.maximum(size, 1.0))
                + load_part * self.mean_load
                + noise_part * (wave - np.floor(wave))
            )
            order = np.argsort(-key, kind="stable").tolist()
            heights, rest, lows, highs = self.heights, self.rest, self.lows, self.highs
            if k % 2:
                count = len(heights)
                heights, rest = heights[::-1], rest[::-1]
                lows, highs = [count - v for v in self.highs], [count - v for v in self.lows]
            self.built[k] = Puzzle(heights, rest, lows, highs, self.sizes, order, bool(anywhere), place)
        return self.built[k]


def below(start, end, size, floor, scale, enough, reached):
    """The first buffer of the lowest plan that the skyline search finds below the top reached, or None."""
    n = start.size
    puzzles = Puzzles(start, end, size, floor)
    nodes = NODES
    choice = None
    failed = -1.0
    for grid in GRIDS:
        unit = grid * scale
        while nodes > 0 and reached > enough + 1e-6:
            target = max(enough, (np.ceil(reached / unit - 1e-9) - 1.0) * unit)
            if target <= failed:
                break
            better = False
            for k in list(puzzles.turn):
                plan, used = puzzles.get(k).solve(target, int(n * (1.0 + RAISES)) + SPARE)
                nodes -= used
                if plan is not None:
                    choice = plan[0]
                    reached = min(target, float(plan[1]))
                    better = True
                    puzzles.turn.remove(k)
                    puzzles.turn.insert(0, k)
                    break
                if nodes <= 0:
                    break
            if not better:
                failed = target
                break
    return choice


def decide(start, end, size, floor, load, scale, enough, easy):
    """Numbers that put the first buffer of the best plan first."""
    n = start.size
    if n == 1:
        return np.zeros(1)
    loglife = np.log(np.maximum(end - start, 1.0))
    logsize = np.log(np.maximum(size, 1.0))
    wave = np.sin(start * 12.9898 + end * 78.233 + size * 37.719 + 11.135 * np.arange(COUNT)[:, None]) * 43758.5453
    noise = wave - np.floor(wave)
    weight = scale * (
        TABLE[:, :1] * (TABLE[:, 1:2] * loglife + TABLE[:, 2:3] * logsize + TABLE[:, 3:4] * (load / scale))
        + TABLE[:, 4:5] * noise
    )
    if n > ROLL_MAX:
        return floor - weight[0]
    conflict = (start[:, None] < end[None, :]) & (end[:, None] > start[None, :])
    apart = np.where(conflict, 0.0, -FAR)
    numbers = floor - weight
    gain = (weight + size).ravel()
    answer = np.ones(n)
    if easy:
        lifts = (apart[None, :, :] - weight[:EASY, None, :]).reshape(EASY * n, n)
        tops, _, begin = complete(numbers[:EASY].copy(), gain, lifts, np.arange(EASY))
        if tops.min() <= enough + 1e-6:
            answer[int(begin[int(np.argmin(tops))])] = 0.0
            return answer
    lifts = (apart[None, :, :] - weight[:, None, :]).reshape(COUNT * n, n)
    tops, keys, begin = complete(numbers.copy(), gain, lifts, np.arange(COUNT))
    order = np.argsort(keys, kind="stable")
    best = int(order[0])
    choice = int(begin[best])
    reached = float(tops[best])
    if reached > enough + 1e-6 and n > 2:
        found = below(start, end, size, floor, scale, enough, reached)
        if found is not None:
            choice = found
        else:
            lanes, forced = [], []
            for rank, amount in enumerate(DEVIATIONS):
                rule = int(order[rank])
                own = int(begin[rule])
                rivals = np.where(conflict[own], numbers[rule], np.inf)
                rivals[own] = np.inf
                for rival in np.argsort(rivals, kind="stable")[:amount]:
                    if np.isfinite(rivals[rival]):
                        lanes.append(rule)
                        forced.append(int(rival))
            if lanes:
                lanes = np.array(lanes)
                _, values, _ = complete(numbers[lanes], gain, lifts, lanes, np.array(forced))
                rival = int(np.argmin(values))
                if values[rival] < keys[best]:
                    choice = forced[rival]
    answer[choice] = 0.0
    return answer
