# -*- coding: utf-8 -*-
#
# Heuristic for kv-scheduling-rule (version 1): minimise rounds.
# Found by the search: Gapsmith 0.2.0, run 20261127-201003-kv-scheduling-rule-e256, candidate ee54ba97e4e896f1.
# Sandbox: all layers on (rlimits, seccomp, landlock, namespaces, uid).
# best baseline shortest-output 18.65 % → champion 14.63 % on test: better beyond noise (39 better, 0 equal, 9 worse of 48 instances, p < 0.0001).
#
# Optimality gap (to optimum or bound) on the test split (48 instances; references: 48 bounds):
#   mean of ratios 14.63 % [12.2, 17.2] (95 % interval over instances)
#   ratio of sums 14.13 %; equal to the reference on 0 of 48
#   start program, same instances: 18.65 % [15.5, 22.3]
#
# Check it again: gapsmith evaluate kv-scheduling-rule benchmarks/agents/kv2.py --split test
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

"""Plan all waiting requests by local search over serial schedules; long ones leave a reserve for later arrivals."""

import math
import random

import numpy as np


def place(G, t, s, o, M):
    """Earliest start >= t of a request on a profile; G[p] = p + tokens held in round p."""
    c = s + 1 - M
    while True:
        e = t + o
        n = len(G)
        if e > n:
            G.extend(range(n, e + 64))
        m = max(G[t:e])
        if m + c <= t:
            return t
        p = G.index(m, t) + 1
        m += c
        t = p if p < m else m


class Planner:
    def __init__(self, memory, workers, work):
        self.M = int(memory)
        self.W = int(workers)
        self.G = [list(range(200)) for _ in range(self.W)]
        self.rng = random.Random(5)
        self.left = self.total = work

    def commit(self, s, o, t):
        best = None
        for G in self.G:
            if place(G, t, s, o, self.M) == t and (best is None or G[t] < best[t]):
                best = G
        if best is None:
            return False
        for k in range(o):
            best[t + k] += s + k + 1
        return True

    def schedule(self, jobs, order, profs, snaps, costs, starts, i0, limit, cost):
        """Place order[i0:] on profs (changed). The sum of starts, or None when it passes the limit."""
        W = self.W
        used = 0
        g = profs[0]
        for j in order[i0:] if i0 else order:
            if snaps is not None:
                snaps.append([h[:] for h in profs])
                costs.append(cost)
            s, o, M = jobs[j]
            if W == 1:
                t = place(g, 0, s, o, M)
            else:
                t = None
                for h in profs:
                    u = place(h, 0, s, o, M)
                    if t is None or u < t or (u == t and h[t] < g[t]):
                        t, g = u, h
            starts[j] = t
            k = s + 1
            for p in range(t, t + o):
                g[p] += k
                k += 1
            cost += t
            used += 6 + 6 * W + o
            if cost >= limit:
                self.left -= used
                return None
        self.left -= used
        return cost

    def solve(self, jobs, r, budget, orders):
        """jobs: (prompt, output, tokens it may see used). Start times relative to round r."""
        n = len(jobs)
        base = []
        for g in self.G:
            if len(g) < r + 64:
                g.extend(range(len(g), r + 128))
            b = [x - r for x in g[r:]]
            while len(b) > 1 and b[-1] == len(b) - 1:
                b.pop()
            b.extend(range(len(b), len(b) + 64))
            base.append(b)
        floor = self.left - budget
        best = None
        for order in orders:
            starts = [0] * n
            c = self.schedule(jobs, order, [b[:] for b in base], None, None, starts, 0,
                              1e18 if best is None else best[0], 0)
            if c is not None:
                best = (c, order, starts)
        cost, order, starts = best
        if n <= 1 or cost == 0 or self.left <= floor:
            return starts
        rng = self.rng
        order = sorted(order, key=lambda j: starts[j])
        snaps, costs = [], []
        starts = starts[:]
        cost = self.schedule(jobs, order, [b[:] for b in base], snaps, costs, starts, 0, 1e18, 0)
        if cost > best[0]:
            order = list(best[1])
            snaps, costs = [], []
            cost = self.schedule(jobs, order, [b[:] for b in base], snaps, costs, starts, 0, 1e18, 0)
        step = (-4, -3, -2, -1, 1, 2, 3, 4)
        while self.left > floor:
            self.left -= 20
            i = rng.randrange(n)
            if rng.random() < 0.5:
                k = rng.randrange(n)
            else:
                k = i + rng.choice(step)
                if k < 0 or k >= n:
                    continue
            if i == k:
                continue
            new = order[:]
            if rng.random() < 0.5:
                new.insert(k, new.pop(i))
            else:
                new[i], new[k] = new[k], new[i]
            i0 = i if i < k else k
            st = starts[:]
            mine, mycosts = [], []
            c = self.schedule(jobs, new, [g[:] for g in snaps[i0]], mine, mycosts, st, i0, cost + 1, costs[i0])
            if c is None:
                continue
            snaps[i0:] = mine
            costs[i0:] = mycosts
            cost, order, starts = c, new, st
        return starts


class Agent:
    def __init__(self, work=2400000, per=700, share=0.25, again=3, R=(0.26, 0.13, 0.21, 0.054), dec=1.0, kap=0.0):
        self.work = work
        self.per, self.share, self.again, self.R, self.dec, self.kap = per, share, again, R, dec, kap
        self.P = None
        self.wait = []      # prompt, output, arrival, planned start
        self.hist = []
        self.events = []
        self.last = -1
        self.bad = 0

    def __call__(self, waited, prompts, outputs, peaks, areas, slack, fits, round, held, memory, workers):
        r = int(round)
        n = len(outputs)
        if self.P is None:
            self.P = Planner(memory, workers, self.work)
        w = self.wait
        m = len(w)
        for q in range(m, n):
            s, o, a = int(prompts[q]), int(outputs[q]), r - int(waited[q])
            w.append([s, o, a, None])
            self.hist.append((s, o, math.log(o), math.log(s + o)))
            if not self.events or a > self.events[-1]:
                self.events.append(a)
        if n > m or r >= self.last + self.again:
            self.replan(r, n - m)
            self.last = r
        best = None
        for q in np.flatnonzero(fits > 0).tolist():
            st = w[q][3]
            if best is None or st < best:
                best, pick = st, q
        res = np.full(n, np.inf)
        if best is not None and (best <= r or held <= 0):
            if not self.P.commit(w[pick][0], w[pick][1], r):
                self.bad += 1
            w.pop(pick)
            res[pick] = 0.0
        return res

    def caps(self, r):
        """What each request may see used: long and large ones leave a reserve, less so when arrivals have ceased."""
        hist, ev, M = self.hist, self.events, self.P.M
        N = len(hist)
        lo = sum(b[2] for b in hist) / N
        lk = sum(b[3] for b in hist) / N
        r1, r2, r4, r5 = self.R
        gap = (ev[-1] - ev[0] + 8.0) / len(ev)
        f = min(1.0, max(0.0, 2.0 - (r - ev[-1]) / (self.dec * gap)))
        jobs = []
        for s, o, a, _ in self.wait:
            h = r1 * (math.log(o) - lo) + r2 * (math.log(s + o) - lk) - r4 - r5 * math.log1p(r - a)
            if self.kap:
                h += self.kap * sum(b[0] + b[1] for b in hist if b[1] < 0.5 * o) / N / M
            h *= f
            jobs.append((s, o, M - min(M - s - o, int(h * M)) if h > 0 else M))
        return jobs

    def replan(self, r, new):
        P, w = self.P, self.wait
        n = len(w)
        once = sum(x[1] for x in w) + (6 + 6 * P.W) * n
        budget = min(self.per * n * n, self.share * P.left)
        if P.left * 0.5 < once:
            for x in w:
                x[3] = r - 1e9 + x[1] * (x[0] + x[1]) ** 0.25
            return
        jobs = self.caps(r)
        orders = []
        if new < n:
            orders.append(sorted(range(n), key=lambda q: (1, jobs[q][1]) if w[q][3] is None else (0, w[q][3])))
        for al, be in ((1, 0.25), (1, 0), (1, 0.5), (1, 1), (0.5, 0.5), (2, 0)):
            key = [j[1] ** al * (j[0] + j[1]) ** be for j in jobs]
            orders.append(sorted(range(n), key=lambda q: key[q]))
        orders = orders[:max(1, int(budget / once / 2))]
        for x, st in zip(w, P.solve(jobs, r, budget, orders)):
            x[3] = r + st


AGENT = Agent()


def priority(waited, prompts, outputs, peaks, areas, slack, fits, round, held, memory, workers):
    """Of the requests that fit the smallest number starts."""
    return AGENT(waited, prompts, outputs, peaks, areas, slack, fits, round, held, memory, workers)
