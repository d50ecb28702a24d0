"""Plans with reservations, judged on sampled futures.

The state of the workers is tracked exactly. In every round candidate sets of requests to start now (the plan that
places all waiting requests by area at their earliest time, and its neighbours: one forced first, one held back,
none) are completed in a batch of sampled futures; the set with the least mean latency starts. When no more
arrivals are expected a local search over orders makes a fixed plan."""
import numpy as np
import random

KEXP = 0.0
STG = 0
COMMIT = 1
BUDGET = 0.40          # estimated CPU seconds for the sampled futures
LSEVALS = 100000        # placements of the local search
G = {}


def earliest(free, t, s, o):
    u = t
    while u < t + o:
        d = free[u] - s
        if d <= u - t:
            t = u + 1 if d <= 0 else u + 1 - d
        u += 1
    return t


def place(fr, r, s, o):
    bf = fr[0]
    best = earliest(bf, r, s, o)
    for f in fr[1:]:
        t = earliest(f, r, s, o)
        if t < best or (t == best and f[t] > bf[t]):
            best = t
            bf = f
    s += 1
    for k in range(best, best + o):
        bf[k] -= s
        s += 1
    return best


def fitsat(f, t, s, o):
    if f[t] <= s:
        return False
    for k in range(o - 1, -1, -1):
        if f[t + k] < s + 1 + k:
            return False
    return True


def put(fr, t, s, o):
    best = None
    for f in fr:
        if (best is None or f[t] > best[t]) and fitsat(f, t, s, o):
            best = f
    if best is None:
        return False
    s += 1
    for k in range(t, t + o):
        best[k] -= s
        s += 1
    return True


def batch_sgs(base, s, o, r, keys, T, win):
    """Serial placement in many rows at once: base [R, W, T + win] free tokens, jobs [R, N]; starts [R, N]."""
    R, W, TT = base.shape
    N = s.shape[1]
    dt = base.dtype
    tv = np.arange(TT, dtype=dt)
    ar = np.arange(win, dtype=dt)
    p = int(o.max()).bit_length() - 1 if o.any() else 0
    lv = np.empty((p + 1, R * W, TT), dt)
    lv[0] = tv - base.reshape(R * W, TT)
    order = np.argsort(keys, axis=1, kind="stable")
    rows = np.arange(R)
    sT = np.take_along_axis(s, order, 1).T
    oT = np.take_along_axis(o, order, 1).T
    rT = np.take_along_axis(r, order, 1).T.astype(dt)
    omT = np.maximum(oT, 1)
    plT = np.frexp(omT.astype(float))[1] - 1
    offT = omT - (1 << plT)
    pmT = plT.max(1)
    flat = lv.reshape(-1)
    it = flat.itemsize
    V = np.lib.stride_tricks.as_strided(flat, shape=(flat.size - T + 1, T), strides=(it, it))
    U = np.lib.stride_tricks.as_strided(flat, shape=(R * W * TT - win + 1, win), strides=(it, it))
    tvT = tv[:T]
    rw = np.arange(R * W) * TT
    starts = np.zeros((N, R), dtype=np.int64)
    size = R * W * TT
    act = (oT > 0).any(1)
    n = 0
    for n in range(N):
        if not act[n]:
            break
        ss = sT[n]
        oo = oT[n]
        for q in range(int(pmT[n])):
            h = 1 << q
            np.maximum(lv[q][:, :-h], lv[q][:, h:], out=lv[q + 1][:, :-h])
        ix = plT[n] * size
        off = offT[n]
        lim = (-ss - 1).astype(dt)
        r2 = rT[n]
        if W > 1:
            ix = np.repeat(ix, W)
            off = np.repeat(off, W)
            lim = np.repeat(lim, W)
            r2 = np.repeat(r2, W)
        ix = ix + rw
        w = np.maximum(V[ix], V[ix + off])
        w -= tvT
        c = w <= lim[:, None]
        c &= tvT >= r2[:, None]
        c[:, T - 1] = True
        st = c.argmax(1)
        if W > 1:
            st2 = st.reshape(R, W)
            held = flat[rw + st].reshape(R, W).astype(np.int64)
            ch = (st2 * 100000 + held).argmin(1)
            st = st2[rows, ch]
            ui = (rows * W + ch) * TT + st
        else:
            ui = rw + st
        add = (ss[:, None].astype(dt) + dt.type(1) + ar) * (ar < oo[:, None])
        U[ui] += add
        starts[n] = st * (oo > 0)
    G["spent"] += (n + 1) * (4.5e-5 + 2.6e-9 * R * W * TT) + 1e-4
    res = np.empty((R, N), np.int64)
    np.put_along_axis(res, order, starts.T, 1)
    return res


def setof(base, wait, first, ban):
    """The requests of the plan that start now, the `first` before all others, those of `ban` not now."""
    fr = [f[:] for f in base]
    S = []
    for j in first:
        if put(fr, 0, j[1], j[2]):
            S.append(j)
    fs = set(j[4] for j in first)
    for j in wait:
        if j[4] in fs:
            continue
        if j[4] in ban:
            place(fr, 1, j[1], j[2])
        elif place(fr, 0, j[1], j[2]) == 0:
            S.append(j)
    fr = [f[:] for f in base]
    S = [j for j in S if put(fr, 0, j[1], j[2])]
    G["spent"] += 5e-6 * len(wait) * len(base)
    return S, fr


def remaining():
    return max(0, (60 if G["W"] == 1 else 80 if G["W"] == 2 else 40 * G["W"]) - len(G["seen"]))


def sample(t, K):
    g = G["rng"]
    seen = G["seen"]
    A = len(seen)
    rem = remaining()
    sizes = G["sizes"]
    b = len(sizes)
    first = next(iter(sizes.values()))
    if first >= 4 or max(sizes.values()) >= 6:
        m = max(1, (5 if G["W"] == 1 else 6) - b)
        U = 92 if G["W"] == 1 else 62
        tt = t + 1 + np.floor(g.random((K, m)) * max(U - t, 12)).astype(np.int64)
        r = np.take_along_axis(tt, g.integers(0, m, (K, rem)), 1)
    else:
        tt = None
        gap = (t - seen[0][0] + 1.53 * 30) / (A - 1 + 30)
        r = np.floor(t + 1 + np.cumsum(g.exponential(gap, (K, rem)), 1)).astype(np.int64)
    ps = np.array([j[1] for j in seen])
    po = np.array([j[2] for j in seen])
    i = g.integers(0, A, (K, rem))
    s = ps[i]
    o = po[i]
    if A < 10:
        z = g.random((K, rem))
        qs = np.where(z < .25, g.integers(60, 181, (K, rem)), np.where(z < .5, 3, g.integers(3, 16, (K, rem))))
        qo = np.where(z < .25, g.integers(1, 9, (K, rem)), np.where(
            z < .5, g.integers(20, 61, (K, rem)),
            np.clip(np.exp(g.normal(2, .8, (K, rem))), 1, 60).astype(np.int64)))
        use = (g.random((K, rem)) < A / 10) | (qs + qo > G["M"])
        s = np.where(use, s, qs)
        o = np.where(use, o, qo)
    o = np.where(r <= t + 45, o, 0)
    keep = o.any(0)
    return r[:, keep], s[:, keep], o[:, keep], tt


def search(t, fr, wait):
    """Local search over orders for the waiting requests alone; returns the order of ids."""
    W, M = G["W"], G["M"]
    rng = random.Random(3)
    order = sorted(wait, key=lambda j: j[3])
    n = len(order)
    if n < 2:
        return [j[4] for j in order]
    T = 3 * sum(j[1] * j[2] + j[2] * j[2] for j in wait) // (M * W) + 200
    base = [f[t:t + T] + [M] * max(0, T - len(f) + t) for f in fr]

    def build(order, p, snaps, cost):
        f = [x[:] for x in snaps[p]] if snaps else [x[:] for x in base]
        del snaps[p:]
        del cost[p:]
        c = cost[-1] if cost else 0
        for i in range(p, n):
            snaps.append([x[:] for x in f])
            c += place(f, 0, order[i][1], order[i][2])
            cost.append(c)
        return c

    snaps, cost = [], []
    best = build(order, 0, snaps, cost)
    work = 0
    if G["spent"] > .05:
        G["ls"] = min(G["ls"], 20000)
    while work < G["ls"]:
        a = rng.randrange(n)
        b = min(n - 1, max(0, a + rng.randint(-12, 12)))
        if a == b:
            work += 1
            continue
        o2 = order[:]
        if rng.random() < .5:
            o2[a], o2[b] = o2[b], o2[a]
        else:
            o2.insert(b, o2.pop(a))
        p = min(a, b)
        f = [x[:] for x in snaps[p]]
        c = cost[p - 1] if p else 0
        try:
            for i in range(p, n):
                c += place(f, 0, o2[i][1], o2[i][2])
                work += W
                if c > best:
                    break
        except IndexError:
            continue
        if c <= best:
            if c < best or True:
                build(o2, p, snaps, cost)
                work += W * (n - p)
            order = o2
            best = c
    G["ls"] = max(2000, G["ls"] // 4)
    return [j[4] for j in order]


def decide(t, fr, wait):
    W, M = G["W"], G["M"]
    F = [j for j in wait if any(fitsat(f, t, j[1], j[2]) for f in fr)]
    if not F:
        return []
    empty = all(f[t] >= M for f in fr)
    rem = remaining()
    hor = sum(j[2] for j in wait) + G["omax"] + 140
    base = [f[t:t + hor] + [M] * max(0, hor - len(f) + t) for f in fr]
    if not rem:
        if G.get("planned") != len(G["seen"]):
            G["planned"] = len(G["seen"])
            G["plan"] = search(t, fr, wait)
        pos = {i: k for k, i in enumerate(G["plan"])}
        S, f1 = setof(base, sorted(wait, key=lambda j: pos[j[4]]), [], ())
        if S or not empty:
            return S
    wait = sorted(wait, key=lambda j: j[3])
    F.sort(key=lambda j: j[3])
    S, f1 = setof(base, wait, [], ())
    if not rem:
        return S
    L = len(wait)
    win = max(64, G["omax"] + 1)
    allids = set(j[4] for j in F)
    cache = set()

    def neighbours(S):
        ids = set(j[4] for j in S)
        cands = []
        for j in F[:8]:
            if j[4] not in ids:
                cands.append(setof(base, wait, [j], ()))
                cands.append(setof(base, wait, [j] + S, allids))
        for j in S[:12]:
            cands.append(setof(base, wait, [x for x in S if x is not j], {j[4]}))
            cands.append(setof(base, wait, [x for x in S if x is not j], allids))
        cands.append(([], [b[:] for b in base]))
        return cands

    def fresh(cands):
        cc = []
        for S2, f2 in cands:
            k = frozenset(j[4] for j in S2)
            if k in cache or (empty and not S2):
                continue
            cache.add(k)
            cc.append((S2, f2))
        return cc

    cc = fresh([(S, f1)] + neighbours(S))
    if len(cc) == 1:
        return cc[0][0]
    # how many futures the time allows
    left = BUDGET - G["spent"]
    bursts = next(iter(G["sizes"].values())) >= 4
    stages = max(1, (5 if W == 1 else 6) - len(G["sizes"])) if bursts and STG else 1
    ne = (L + min(rem, 25))
    allow = left / (14 if bursts else 25) / 1.7 / stages
    K = int((allow - ne * 4.5e-5) / (2.6e-9 * ne * len(cc) * W * 200))
    K = min(64, K)
    if K < 6:
        if left < .1 * BUDGET:
            return S
        K = 6
    fr_, fs, fo, tt = sample(t, K)
    fk = (fs * fo + fo * (fo + 1) / 2) * np.maximum(fo, 1) ** KEXP
    FM = fo.shape[1]
    N = L + FM
    s = np.zeros((K, N), np.int64)
    o = np.zeros((K, N), np.int64)
    r = np.ones((K, N), np.int64)
    key = np.full((K, N), 1e18)
    s[:, :L] = [j[1] for j in wait]
    o[:, :L] = [j[2] for j in wait]
    key[:, :L] = [j[3] for j in wait]
    s[:, L:] = fs
    o[:, L:] = fo
    r[:, L:] = np.maximum(1, fr_ - t)
    key[:, L:] = np.where(fo > 0, fk, 1e18)
    a1 = np.where(fo > 0, r[:, L:], 10 ** 6).min(1) if FM else np.full(K, 10 ** 6)
    lim = int(a1[a1 < 10 ** 6].max()) if (a1 < 10 ** 6).any() else 0
    area = (s * o + o * (o + 1) // 2).sum(1).max()
    T = int(min(300, max(90, (area + sum(M - x for f in base for x in f[:64])) / (M * W) * 1.05 + 70)))
    rs = np.where(o > 0, r, 0)[:, L:].sum(1)
    stg = np.sort(np.maximum(1, tt - t), 1) if STG and tt is not None and FM else None
    dt = np.int16 if M < 15000 else np.int32

    def evs(cands):
        C = len(cands)
        bs = np.full((C, W, T + win), M, dt)
        kk = np.broadcast_to(key, (C, K, N)).copy()
        rr = np.broadcast_to(r, (C, K, N)).copy()
        oo = np.broadcast_to(o, (C, K, N)).copy()
        for c, (S, f1) in enumerate(cands):
            ids = set(j[4] for j in S)
            for w, f in enumerate(f1):
                m = min(T + win, len(f))
                bs[c, w, :m] = f[:m]
            cols = [i for i, j in enumerate(wait) if j[4] in ids]
            oo[c, :, cols] = 0
            kk[c, :, cols] = 1e18
            if lim and COMMIT:
                # what starts before the first arrival does not know it
                f = [b[:] for b in f1]
                for i, j in enumerate(wait):
                    if j[4] not in ids:
                        x = place(f, 1, j[1], j[2])
                        if x < lim:
                            m = a1 > x
                            kk[c, m, i] = -1000 + x
                            rr[c, m, i] = x
                G["spent"] += 5e-6 * L * W
        R = C * K
        b2 = np.repeat(bs, K, 0)
        s2 = np.broadcast_to(s, (C, K, N)).reshape(R, N)
        oo = oo.reshape(R, N)
        rr = rr.reshape(R, N)
        kk = kk.reshape(R, N)
        if stg is None:
            st = batch_sgs(b2, s2, oo, rr, kk, T, win)
        else:
            m = stg.shape[1]
            sg = np.broadcast_to(stg, (C, K, m)).reshape(R, m)
            for q in range(m):
                tq = sg[:, q:q + 1]
                done = kk < 0
                r2 = np.where(done, rr, np.maximum(rr, tq))
                if q == m - 1:
                    st = batch_sgs(b2, s2, oo, r2, kk, T, win)
                    break
                arr = rr <= tq
                st = batch_sgs(b2, s2, np.where(arr, oo, 0), r2, np.where(arr, kk, 1e18), T, win)
                com = (~done) & arr & (oo > 0) & (st < sg[:, q + 1:q + 2])
                kk = np.where(com, -1000. + st, kk)
                rr = np.where(com, st, rr)
        return (st.sum(1).reshape(C, K) - rs).mean(1)

    best = None
    for rd in range(2):
        if rd:
            cc = fresh(neighbours(S))
        if not cc:
            break
        V = evs(cc)
        i = int(V.argmin())
        if best is None or V[i] < best - 1e-9:
            best = V[i]
            S = cc[i][0]
        else:
            break
    return S


def reset(M, W):
    G.clear()
    G.update(M=M, W=W, seen=[], sizes={}, wait=[], t=-1, picks=[], started=None, spent=0.0, omax=0,
             fr=[[M] * 400 for _ in range(W)], rng=np.random.default_rng(7), next=0, ls=LSEVALS)


def priority(waited, prompts, outputs, peaks, areas, slack, fits, round, held, memory, workers):
    """Of the requests that fit the smallest number starts; infinity waits."""
    t, M, W = int(round), int(memory), int(workers)
    P = prompts.astype(int).tolist()
    O = outputs.astype(int).tolist()
    n = len(P)
    if not G or G["M"] != M or G["W"] != W or t < G["t"]:
        reset(M, W)
    if G["started"] is not None:
        G["wait"] = [j for j in G["wait"] if j[4] != G["started"]]
        G["started"] = None
    wait = G["wait"]
    L = len(wait)
    if L > n or any(wait[i][1] != P[i] or wait[i][2] != O[i] for i in range(L)):
        reset(M, W)
        wait = G["wait"]
        L = 0
    for i in range(L, n):
        a = t - int(waited[i])
        j = (a, P[i], O[i], (P[i] * O[i] + O[i] * (O[i] + 1) / 2) * O[i] ** KEXP, G["next"])
        G["next"] += 1
        wait.append(j)
        G["seen"].append(j)
        G["sizes"][a] = G["sizes"].get(a, 0) + 1
        G["omax"] = max(G["omax"], O[i])
    fr = G["fr"]
    need = t + 2 * G["omax"] + 10
    for f in fr:
        if len(f) < need:
            f.extend([M] * (need - len(f) + 200))
    if t != G["t"]:
        G["t"] = t
        G["picks"] = [j[4] for j in decide(t, fr, wait)]
    out = np.full(n, np.inf)
    while G["picks"]:
        i = G["picks"].pop(0)
        k = next(k for k in range(n) if wait[k][4] == i)
        if fits[k] and put(fr, t, P[k], O[k]):
            out[k] = 0.0
            G["started"] = i
            return out
    if held <= 0:
        ok = np.where(fits > 0, areas, np.inf)
        k = int(np.argmin(ok))
        if put(fr, t, P[k], O[k]):
            G["started"] = wait[k][4]
        out[k] = 0.0
    return out
