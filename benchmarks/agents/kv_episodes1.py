"""Plan of all waiting requests, searched anew when requests arrive: reservations in the best order found."""

import random

import numpy as np

SEARCH = 8  # moves tried for one plan, for each request in it
OPTION = 0.5  # discount of a start by the memory it would bind: later arrivals may want it
EXPONENTS = (0.5, 1.0, 0.0, 0.75, 0.25, 1.5)  # orders to begin with: outputs^(1-e) areas^e
SEED = 1
EPS = 1e-9
HORIZON = 20000  # rounds that the profile of memory covers

RAMP = np.arange(1.0, HORIZON + 1.0)
S = {}


def search(o, s, adds, orders, base, held, weights, rng):
    """Best order found: a request in turn takes the earliest rounds that the ones before it leave."""
    m = len(o)
    n = len(base)
    multi = n > 1
    top = max(o)
    lb = [0] * m
    start = [0] * m
    place = [0] * m

    def earliest(bw, t, oi, s1, limit):
        while t < limit:
            c = int(np.minimum(RAMP[t:t + oi], bw[t:t + oi] + s1).max())
            if c <= t:
                return t
            t = c
        return limit

    for i in range(m):
        lb[i] = min(earliest(b, 0, o[i], s[i] + 1, 10 ** 9) for b in base)
    bounds = [weights[i] * lb[i] for i in range(m)]

    def run(order, p, state, limit, rec):
        B, R, H, tot, rem = state
        B = [b.copy() for b in B]
        if multi:
            R = [r.copy() for r in R]
            H = H[:]
        for q in range(p, m):
            i = order[q]
            if rec is not None:
                if multi:
                    rec.append(([b.copy() for b in B], [r.copy() for r in R], H[:], tot, rem))
                else:
                    rec.append(([B[0].copy()], R, H, tot, rem))
            oi = o[i]
            s1 = s[i] + 1
            if multi:
                e = -1
                for w in range(n):
                    if (e < 0 or H[w] < H[e]) and R[w][:oi].max() + s1 <= 0:
                        e = w
                bt = 10 ** 9
                bw = 0
                for w in range(n):
                    t = earliest(B[w], 0 if w == e else 1, oi, s1, bt)
                    if t < bt:
                        bt = t
                        bw = w
                if bt == 0:
                    R[bw][:oi] += adds[i]
                    H[bw] += s1
            else:
                bw = 0
                bt = earliest(B[0], 0, oi, s1, 10 ** 9)
            tot += weights[i] * bt
            rem -= bounds[i]
            if tot + rem >= limit - EPS:
                return None
            B[bw][bt:bt + oi] += adds[i]
            if rec is not None:
                start[i] = bt
                place[i] = bw
        return tot

    root = (base, [b[:top].copy() for b in base], list(held), 0, sum(bounds))
    best = float("inf")
    cur = orders[0]
    for order in orders:
        if best <= EPS + sum(bounds):
            break
        tot = run(order, 0, root, best, None)
        if tot is not None:
            best = tot
            cur = order
    rec = []
    run(cur, 0, root, float("inf"), rec)
    floor = sum(bounds)
    if m > 1:
        for _ in range(SEARCH * m):
            if best <= floor + EPS:
                break
            i = int(rng.random() * m)
            j = int(rng.random() * m)
            if i == j:
                continue
            if j < i and start[cur[i]] <= lb[cur[i]]:
                i, j = j, i
            new = cur[:]
            new.insert(j, new.pop(i))
            p = min(i, j)
            tot = run(new, p, rec[p], best, None)
            if tot is not None:
                best = tot
                cur = new
                tail = []
                run(cur, p, rec[p], float("inf"), tail)
                rec[p:] = tail
    return cur, start, place


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
    """Zero for the request that the plan starts now, infinity for all others."""
    n = int(workers)
    now = int(round)
    m = len(prompts)
    if not S:
        S.update(use=np.zeros((n, HORIZON)), end=0, order=[], plan={}, count=0, stale=False, stream=False, rng=random.Random(SEED))
    use = S["use"]
    if m > S["count"] or S["stale"]:
        o = [int(x) for x in outputs]
        s = [int(x) for x in prompts]
        adds = [s[i] + RAMP[:o[i]] for i in range(m)]
        length = max(S["end"] - now, 0) + sum(o) + 2
        base = [use[w, now:now + length] + (RAMP[:length] - 1 - memory) for w in range(n)]
        orders = [np.argsort(outputs ** (1 - e) * areas ** e, kind="stable").tolist() for e in EXPONENTS]
        if S["order"]:
            score = outputs * areas
            keep = list(S["order"])
            for i in range(S["count"], m):
                at = next((k for k, j in enumerate(keep) if score[j] > score[i]), len(keep))
                keep.insert(at, i)
            orders.insert(0, keep)
        discount = OPTION if S["stream"] else 0.0
        weights = (1.0 / (1.0 + discount * areas / memory)).tolist()
        held_now = [use[w, now] for w in range(n)]
        order, start, place = search(o, s, adds, orders, base, held_now, weights, S["rng"])
        S["stream"] = True
        S["order"] = order
        S["plan"] = [(start[i] + now, place[i]) for i in range(m)]
        S["stale"] = False
    plan = S["plan"]
    pick = -1
    for i in S["order"]:
        if plan[i][0] <= now and fits[i] > 0.5:
            pick = i
            break
    if pick < 0 and held == 0:
        pick = int(np.flatnonzero(fits > 0.5)[0])
        S["stale"] = True
    answer = np.full(m, np.inf)
    if pick >= 0:
        answer[pick] = 0.0
        oi = int(outputs[pick])
        add = prompts[pick] + RAMP[:oi]
        w = -1
        for k in range(n):
            if (w < 0 or use[k, now] < use[w, now]) and (use[k, now:now + oi] + add).max() <= memory:
                w = k
        if (now, w) != plan[pick]:
            S["stale"] = True
        use[w, now:now + oi] += add
        S["end"] = max(S["end"], now + oi)
        del plan[pick]
        S["order"] = [i - (i > pick) for i in S["order"] if i != pick]
        m -= 1
    S["count"] = m
    return answer
