# -*- coding: utf-8 -*-
#
# Heuristic for kv-scheduling-rule (version 1): minimise rounds.
# Found by the search: Gapsmith 0.2.0, run 20261127-201038-kv-scheduling-rule-1a36, candidate 2fadfd09867e1197.
# Sandbox: all layers on (rlimits, seccomp, landlock, namespaces, uid).
# best baseline shortest-output 18.65 % → champion 14.48 % on test: better beyond noise (37 better, 0 equal, 11 worse of 48 instances, p < 0.0001).
#
# Optimality gap (to optimum or bound) on the test split (48 instances; references: 48 bounds):
#   mean of ratios 14.48 % [12.0, 17.3] (95 % interval over instances)
#   ratio of sums 13.86 %; equal to the reference on 0 of 48
#   start program, same instances: 18.65 % [15.5, 22.3]
#
# Check it again: gapsmith evaluate kv-scheduling-rule benchmarks/agents/kv1.py --split test
#
# The task (the program checks no values: for others than these it may fail or answer wrongly):
#   Equal workers serve requests to a language model; each has memory for `memory` tokens of keys and values.
#   Time goes in rounds. A request with a prompt of s tokens and an output of o tokens that starts on a
#   worker in
#   round t runs there without a break in the rounds t .. t + o - 1 and holds s + k tokens in its k-th round,
#   k = 1 .. o. On every worker and in every round the held tokens are at most the memory. A request's
#   latency is
#   its completion t + o minus its arrival; the sum of latencies (rounds) shall be as small as possible.
#   Requests arrive over time, and nothing is known of later ones; the output length of a request is known
#   when it
#   arrives. In every round, while some waiting request fits, priority(...) is called for all waiting
#   requests;
#   of those that fit the one with the SMALLEST number starts, on the worker that fits it and holds the
#   fewest
#   tokens now. Then it is called again. A request fits if no round of its life would overflow beside the
#   requests
#   that have started. Infinity (or NaN) for all that fit ends the round; where no request runs, the first
#   that
#   fits starts all the same. Of equal numbers the first to arrive wins. Gaps are measured against a bound
#   that
#   knows all arrivals: 0 is not attainable. Return one number for each waiting request, as an array of the
#   same
#   length; numpy is `np`. The arrays (floats), in the order of arrival:
#   - waited: rounds since the arrival
#   - prompts: tokens of the prompt
#   - outputs: tokens of the output, which are the rounds of service
#   - peaks: tokens held in the last round: prompt and output
#   - areas: tokens added up over the rounds of service: token-rounds
#   - slack: free tokens in the tightest round of its life on the best worker; negative: it does not fit
#   - fits: 1 if it fits on some worker now and for its whole life, else 0
#   and plain numbers:
#   - round: the present round
#   - held: tokens held on all workers in this round
#   - memory: tokens that one worker can hold
#   - workers: number of workers

import numpy as np, random
def place(needs, s, o, r):
    a = s + 1
    bt = 1 << 30; bw = 0; bh = 0
    for w in range(len(needs)):
        need = needs[w]
        t = r; q = r; e = r + o
        while q < e:
            x = need[q] + a
            if x > t:
                t = x if x <= q else q + 1
                e = t + o
                if t > bt: break
            q += 1
        if t < bt:
            bt = t; bw = w; bh = need[t]
        elif t == bt and need[t] < bh:
            bw = w; bh = need[t]
    return bt, bw

def decode_from(perm, k, needs, jobs, base, best, F):
    # jobs: id -> (s,o,r); returns cost, list of (t,w)
    out = []
    cost = base
    for i in range(k, len(perm)):
        s, o, r = jobs[perm[i]]
        t, w = place(needs, s, o, r)
        cost += F[t]
        if cost >= best: return None, None
        need = needs[w]
        v = s + 1
        for q in range(t, t + o):
            need[q] += v; v += 1
        out.append((t, w))
    return cost, out

def plan(jobs, needs0, perms, iters, rng, F=range(1<<20)):
    best = 1 << 60; bperm = None; bout = None
    for p in perms:
        c, out = decode_from(p, 0, [n[:] for n in needs0], jobs, 0, best, F)
        if c is not None:
            best, bperm, bout = c, p[:], out
    n = len(bperm)
    if n < 2: return best, bperm, bout
    def snaps(perm, out):
        if len(needs0) == 1:
            order = sorted(range(n), key=lambda i: out[i][0])
            perm = [perm[i] for i in order]
        sn = []
        needs = [x[:] for x in needs0]
        c = 0; cs = []; o2 = []
        for j in perm:
            sn.append([x[:] for x in needs]); cs.append(c)
            s, o, r = jobs[j]
            t, w = place(needs, s, o, r)
            c += F[t]
            need = needs[w]; v = s + 1
            for q in range(t, t + o):
                need[q] += v; v += 1
            o2.append((t, w))
        return perm, o2, sn, cs, c
    bperm, bout, sn, cs, c = snaps(bperm, bout)
    best = min(best, c)
    for it in range(iters):
        i = rng.randrange(n); 
        if rng.random() < .6:
            j = i - 1 - int(abs(rng.gauss(0, 6))) if rng.random() < .5 else i + 1 + int(abs(rng.gauss(0, 6)))
            if j < 0 or j >= n: continue
        else:
            j = rng.randrange(n)
        if i == j: continue
        p = bperm[:]
        if rng.random() < .6:
            x = p.pop(i); p.insert(j, x)
        else:
            p[i], p[j] = p[j], p[i]
        k = i if i < j else j
        c, out = decode_from(p, k, [x[:] for x in sn[k]], jobs, cs[k], best + 1e-9, F)
        if c is not None:
            bperm, bout, sn, cs, c2 = snaps(p, bout[:k] + out)
            best = c2
    return best, bperm, bout
class Planner:
    def __init__(self, iters=150, mu=0.0, L=30.0, hook=None, seed=1):
        self.iters = iters; self.mu = mu; self.L = L; self.seed = seed
        self.reset()
    def reset(self):
        self.rng = random.Random(self.seed)
        self.run = []      # (start, s, o, worker)
        self.wait = []     # ids in order of arrival
        self.jobs = {}
        self.nid = 0
        self.pred = None
        self.order = []
        self.plan_round = -1
        self.todo = []
        self.bad = 0
    def __call__(self, waited, prompts, outputs, peaks, areas, slack, fits, round, held, memory, workers):
        now = int(round); W = int(workers); M = int(memory); n = len(waited)
        # sync
        new = []
        nw = len(self.wait)
        for i in range(nw, n):
            self.jobs[self.nid] = (int(prompts[i]), int(outputs[i]), now - int(waited[i]))
            self.wait.append(self.nid); new.append(self.nid); self.nid += 1
        self.run = [r for r in self.run if r[0] + r[2] > now]
        hw = [0] * W
        for (t, s, o, w) in self.run: hw[w] += s + now - t + 1
        if sum(hw) != int(held): self.bad += 1
        fl = fits.tolist()
        if new or self.plan_round != now:
            self.plan_round = now
            self.make(now, W, M, new)
        val = self.choose(now, fl, n)
        # which starts
        bi = -1; bv = float("inf")
        for i in range(n):
            if fl[i] and val[i] < bv: bv = val[i]; bi = i
        if bi < 0 and not self.run:
            for i in range(n):
                if fl[i]: bi = i; break
        if bi >= 0:
            j = self.wait[bi]
            s, o, r = self.jobs[j]
            w = self.worker(s, o, now, W, M, hw)
            if w is None: self.bad += 1
            else: self.run.append((now, s, o, w))
            del self.wait[bi]
            if j in self.order: self.order.remove(j)
        return np.array(val, float)
    def needs(self, now, W, M, H):
        needs = [[q - M for q in range(H)] for _ in range(W)]
        for (t, s, o, w) in self.run:
            need = needs[w]
            v = s + now - t + 1
            for q in range(t + o - now): need[q] += v; v += 1
        return needs
    def worker(self, s, o, now, W, M, hw):
        if W == 1: return 0
        needs = self.needs(now, W, M, 1 + max([o] + [r[0] + r[2] - now for r in self.run]))
        b = None
        for w in range(W):
            if all(needs[w][q] + s + 1 <= 0 for q in range(o)):
                if b is None or hw[w] < hw[b]: b = w
        return b
    def make(self, now, W, M, new):
        ids = self.wait
        H = 70 + sum(self.jobs[j][1] for j in ids) + max([0] + [r[0] + r[2] - now for r in self.run])
        needs0 = self.needs(now, W, M, H)
        jj = {j: (self.jobs[j][0], self.jobs[j][1], 0) for j in ids}
        perms = [sorted(ids, key=lambda i: jj[i][1]),
                 sorted(ids, key=lambda i: jj[i][1]**2*(jj[i][0]+jj[i][1]/2))]
        if self.order or new:
            perms.append(self.order + sorted(new, key=lambda i: jj[i][1]))
        best, perm, out = plan(jj, needs0, perms, self.iters if len(ids) > 1 else 0, self.rng, self.disc(now, H))
        self.order = perm[:]
        self.todo = [p for p, (t, w) in zip(perm, out) if t == 0]
    def disc(self, now, H): return range(1<<20)
    def choose(self, now, fl, n):
        val = [float("inf")] * n
        for k, j in enumerate(self.todo):
            if j in self.wait:
                val[self.wait.index(j)] = float(k)
        return val
import math
class Scen(Planner):
    def __init__(self, iters=30, K=4, cap=25.0, lindy=1.0, ncand=4, prior=0.0, keyc=(1.0,1.0), seed=1, pgap=8.0, phmax=40, lsorder=True, D=0.0, wk=20.0, pmul=1.0):
        self.wk=wk; self.pmul=pmul
        self.lsorder=lsorder; self.D=D; self.tabs={}
        self.K=K; self.cap=cap; self.lindy=lindy; self.ncand=ncand; self.prior=prior; self.keyc=keyc; self.pgap=pgap; self.phmax=phmax
        Planner.__init__(self, iters=iters, seed=seed)
    def key(self, s, o):
        a, c = self.keyc
        return a*math.log(o) + c*math.log(s*o + o*(o+1)/2)
    def disc(self, now, H):
        if self.D <= 0: return range(1<<20)
        p = self.alive(now); 
        if p < .3: return range(1<<20)
        D = self.D
        if H not in self.tabs: self.tabs[H] = [D*(1-math.exp(-t/D)) for t in range(H+2)]
        return self.tabs[H]
    def alive(self, now):
        rs = sorted(set(self.jobs[j][2] for j in range(self.nid))); m = len(rs)
        if m == 1: return 0.0
        gap = max(1.0, (rs[-1]-rs[0])/(m-1)); x = now-rs[0]
        A = math.exp(-(now-rs[-1])/gap); E = gap/max(x,1)*(1-A)
        return A/(A+E)
    def scenarios(self, now):
        # list of (weight, [(r, s, o)])
        hist = [self.jobs[j] for j in range(self.nid)]
        rounds = {}
        for (s, o, r) in hist: rounds.setdefault(r, 0); rounds[r] += 1
        rs = sorted(rounds); m = len(rs)
        x = now - rs[0]; g = now - rs[-1]
        if m == 1:
            if self.prior <= 0: return [(1.0, [])]
            gap = self.pgap; x = self.pgap; 
            wk = 0.0
            for (s, o, r) in hist: wk += s*o + o*(o+1)/2
            p = self.prior*math.exp(-g/gap)*math.exp(-wk/self.cap_mem/self.wk)
        else:
            gap = (rs[-1]-rs[0])/(m-1)
            gap = max(gap, 1.0)
            A = math.exp(-g/gap); E = self.pmul*gap/max(x,1)*(1-A)
            p = A/(A+E)
        sizes = list(rounds.values())
        if p < .08: return [(1.0, [])]
        res = [] if p > .95 else [(1-p, [])]
        K = self.K
        for k in range(K):
            u = (k + self.rng.random())/K
            y = min(self.cap, self.lindy*x*(1/max(u,.02)-1))
            ph = []; t = 0.0
            while True:
                t += max(1.0, self.rng.expovariate(1/gap)) if gap > 1.01 else 1.0
                if t > y or len(ph) >= self.phmax: break
                for _ in range(sizes[self.rng.randrange(m)]):
                    s, o, r = hist[self.rng.randrange(len(hist))]
                    ph.append((int(t), s, o))
            res.append((p/K, ph))
        return res
    def make(self, now, W, M, new):
        Planner.make(self, now, W, M, new)
        S = self.todo
        if not S: return
        self.cap_mem = M*W
        sc = self.scenarios(now)
        if all(not ph for w, ph in sc): return
        jobs = self.jobs
        area = {j: jobs[j][0]*jobs[j][1] + jobs[j][1]*(jobs[j][1]+1)//2 for j in S}
        big = sorted(S, key=lambda j: -area[j])
        cands = [S[:]]
        for k in range(1, min(len(S), self.ncand)+1):
            ex = set(big[:k]); cands.append([j for j in S if j not in ex])
        if len(S) > 2:
            for k in range(1, min(len(S), 3)): cands.append([j for j in S if j != big[k]])
        if len(S) > self.ncand: cands.append([])
        H = 140 + sum(jobs[j][1] for j in self.wait) + int(self.cap) + max([0] + [r[0] + r[2] - now for r in self.run])
        base = self.needs(now, W, M, H)
        tot = [0.0]*len(cands)
        known = [(self.key(jobs[j][0], jobs[j][1]), jobs[j][0], jobs[j][1], j) for j in self.wait]
        pre = []
        if self.lsorder:
            kk = {k[3]: k for k in known}; top = -1e9; known = []
            for j in self.order:
                k, s, o, j = kk[j]; top = max(top, k); known.append((top, s, o, j))
        for c in cands:
            nd = [x[:] for x in base]; cs = set(c)
            for j in c:
                s, o, r = jobs[j]
                t, w = place(nd, s, o, 0)
                need = nd[w]; v = s+1
                for q in range(t, t+o): need[q] += v; v += 1
            pre.append((nd, [(k, s, o, 1) for (k, s, o, j) in known if j not in cs]))
        for wt, ph in sc:
            phk = [(self.key(s, o), s, o, t) for (t, s, o) in ph]
            ext = sum(o for (t, s, o) in ph)
            for ci in range(len(cands)):
                nd0, rest = pre[ci]
                L = sorted(rest + phk, key=lambda z: z[0])
                ext_l = range(H, H+ext)
                nd = [x + [q - M for q in ext_l] for x in nd0]
                cost = 0
                for (k, s, o, r) in L:
                    t, w = place(nd, s, o, r)
                    need = nd[w]; v = s+1
                    for q in range(t, t+o): need[q] += v; v += 1
                    cost += t - r
                cost += len(rest)
                tot[ci] += wt*cost
        b = min(range(len(cands)), key=lambda i: tot[i])
        self.todo = cands[b]


_P = None
_LAST = -1.0


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
    """Plan for what waits, drop what had better wait for likely arrivals."""
    global _P
    if _P is None:
        _P = Scen(iters=80)
    if not _P.bad and len(waited) <= 400:
        try:
            return _P(waited, prompts, outputs, peaks, areas, slack, fits, round, held, memory, workers)
        except (IndexError, ValueError, ZeroDivisionError):
            _P.bad = 1
    return 2 * np.log(outputs) + np.log(areas)
