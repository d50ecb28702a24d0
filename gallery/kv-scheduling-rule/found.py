"""Rollout: every first action is tried in front of greedy list scheduling."""

from collections import Counter
from operator import add

import numpy as np

UNIT_BUDGET = 4000000.0        # counted elementary steps for one instance
POWERS = (0.0, 0.35, 0.7)      # base policies: areas^p * outputs^(1-p)
START_TRIES = 5                # requests that fit and are tried first
RESERVE_TRIES = 4              # blocked requests whose reservation is tried
MARGIN = 0.5                   # rounds that an action must gain on the greedy one
RESERVE_MARGIN = 2.0           # the same for a reservation, which leaves memory idle
INF = float("inf")

S = {"round": None}


def _extend(upto):
    for p in S["prof"]:
        if len(p) < upto:
            p.extend([0] * (upto - len(p)))


def _fits_at(p, t, s, o, mem):
    need = s + 1
    for r in range(t, t + o):
        if p[r] + need > mem:
            return False
        need += 1
    return True


def _commit(t, s, o, mem):
    _extend(t + o + 2)
    prof = S["prof"]
    best = None
    for w, p in enumerate(prof):
        if _fits_at(p, t, s, o, mem) and (best is None or p[t] < prof[best][t]):
            best = w
    if best is None:
        best = min(range(len(prof)), key=lambda w: prof[w][t])
    p = prof[best]
    for k in range(o):
        p[t + k] += s + k + 1


def _earliest(b, s, o, t):
    while True:
        seg = b[t:t + o]
        m = max(seg)
        v = m + s
        if v <= t:
            return t
        r1 = t + seg.index(m) + 1
        t = v if v < r1 else r1


def _put(b, t, s, o):
    b[t:t + o] = map(add, b[t:t + o], range(s + 1, s + o + 1))


def _sim(base, jobs, order, forced, limit):
    """Greedy list scheduling in `order` after `forced` got its earliest start.

    base: per worker prof[r] + (r - now) + 1 - memory. Returns the sum of starts
    and the first request that starts now (None: nobody).
    """
    bs = [b[:] for b in base]
    total = 0
    first = None
    units = 80
    if forced is not None:
        s, o = jobs[forced]
        best_t = -1
        bb = None
        for b in bs:
            t = _earliest(b, s, o, 0)
            units += 3 * (10 + o)
            if best_t < 0 or t < best_t or (t == best_t and b[t] < bb[t]):
                best_t = t
                bb = b
        _put(bb, best_t, s, o)
        total += best_t
        if best_t == 0:
            first = forced
    rem = [[0, j, jobs[j][0], jobs[j][1]] for j in order if j != forced]
    t = 0
    while rem:
        nxt = 1 << 30
        keep = []
        for e in rem:
            tj = e[0]
            if tj <= t:
                s = e[2]
                o = e[3]
                bb = None
                low = 1 << 30
                for b in bs:
                    seg = b[t:t + o]
                    m = max(seg)
                    v = m + s
                    units += 8 + o // 3
                    if v <= t:
                        if bb is None or b[t] < bb[t]:
                            bb = b
                    else:
                        if v > t + 1:
                            r1 = t + seg.index(m) + 1
                            if r1 < v:
                                v = r1
                        if v < low:
                            low = v
                if bb is not None:
                    _put(bb, t, s, o)
                    units += 10 + o // 2
                    total += t
                    if t == 0 and first is None:
                        first = e[1]
                    continue
                e[0] = tj = low
            if tj < nxt:
                nxt = tj
            keep.append(e)
        units += len(rem) * 2
        rem = keep
        if total + len(rem) * (t + 1) > limit:
            total = 1 << 30
            break
        t = nxt
    S["units"] += units
    return total, first


def priority(
    waited: np.ndarray,
    prompts: np.ndarray,
    outputs: np.ndarray,
    peaks: np.ndarray,
    areas: np.ndarray,
    slack: np.ndarray,
    fits: np.ndarray,
    round: float,
    held: float,
    memory: float,
    workers: float,
) -> np.ndarray:
    now = int(round)
    mem = int(memory)
    if S["round"] is None or now < S["round"]:
        S.clear()
        S.update(round=None, prev=[], units=0.0, prof=[[] for _ in range(int(workers))])
    n = len(waited)
    raw = [
        (now - int(w), int(s), int(o))
        for w, s, o in zip(waited.tolist(), prompts.tolist(), outputs.tolist())
    ]
    if S["round"] is not None:
        gone = Counter(S["prev"]) - Counter(raw)
        for key, c in gone.items():
            for _ in range(c):
                _commit(S["round"], key[1], key[2], mem)
    S["round"] = now
    S["prev"] = raw
    most = max(k[2] for k in raw)
    _extend(now + most + 2)
    fit = [f > 0.5 for f in fits.tolist()]
    plain = areas ** POWERS[1] * outputs ** (1.0 - POWERS[1])
    if n == 1 or S["units"] > UNIT_BUDGET:
        return plain
    for i, (_, s, o) in enumerate(raw):
        if any(_fits_at(p, now, s, o, mem) for p in S["prof"]) != fit[i]:
            return plain
    busy = max(len(p) for p in S["prof"])
    horizon = max(now, busy) + sum(k[2] for k in raw) + 2 * most + 8
    base = []
    for p in S["prof"]:
        q = p[now:] + [0] * (horizon - max(now, len(p)))
        base.append(list(map(add, q, range(1 - mem, 1 - mem + len(q)))))
    jobs = [(k[1], k[2]) for k in raw]
    best = INF
    order = None
    choice = None
    for power in POWERS:
        index = areas ** power * outputs ** (1.0 - power)
        o = np.argsort(index, kind="stable").tolist()
        v, first = _sim(base, jobs, o, None, INF)
        if v < best:
            best, order, choice = v, o, first
    if best > 0:
        best -= MARGIN
        for i in [i for i in order if fit[i] and i != choice][:START_TRIES]:
            v, first = _sim(base, jobs, order, i, best)
            if v < best:
                best, choice = v, first
        best -= RESERVE_MARGIN - MARGIN
        for i in [i for i in order if not fit[i]][:RESERVE_TRIES]:
            v, first = _sim(base, jobs, order, i, best)
            if v < best:
                best, choice = v, first
    out = np.full(n, INF)
    if choice is not None and fit[choice]:
        out[choice] = 1.0
    return out
