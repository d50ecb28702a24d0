# -*- coding: utf-8 -*-
#
# Heuristic for barcut (version 1): minimise mm of steel.
# Found by the search: Gapsmith 0.2.0, run 20261127-201230-barcut-0fba, candidate 81e9de1c62d27d7f.
# Sandbox: all layers on (rlimits, seccomp, landlock, namespaces, uid).
# best baseline greedy-runs 5.10 % → champion 2.85 % on test: better beyond noise (43 better, 3 equal, 2 worse of 48 instances, p < 0.0001).
#
# Optimality gap (to optimum or bound) on the test split (48 instances; references: 48 bounds):
#   mean of ratios 2.85 % [2.35, 3.42] (95 % interval over instances)
#   ratio of sums 2.81 %; equal to the reference on 0 of 48
#   start program, same instances: 24.59 % [18.2, 32.0]
#
# Check it again: gapsmith evaluate barcut.py best.py --split test
#
# The task (the program checks no values: for others than these it may fail or answer wrongly):
#   Bars of `length` mm are cut into pieces. Order i needs at least quantities[i] pieces of lengths[i] mm;
#   pieces beyond that are allowed, and are scrap. Between two pieces of a bar the saw wastes `kerf` mm, so a
#   bar with m pieces fits if their lengths plus kerf * (m - 1) are at most `length`. Return the bars in the
#   order in which they are cut: each a list of the orders of its pieces (order i as often as the bar holds
#   pieces of it; the sequence inside a bar does not matter), no bar empty, and not more bars than
#   sum(quantities). Two consecutive bars whose pieces differ as multisets are a change, worth `setup` mm.
#   The first bar is no change. Minimise len(bars) * length + setup * changes.

import random
from math import exp


def cut(length: int, kerf: int, setup: int, lengths: list[int], quantities: list[int]) -> list[list[int]]:
    """Runs (bars, pattern) built greedily by value per steel; then remove some runs, build again with noise, keep."""
    rnd = random.Random(1)
    uniform = rnd.random
    W = length + kerf
    n = len(lengths)
    weight = [v + kerf for v in lengths]
    work = [0]

    def build(due, noise, power):
        """Runs that cover due; due is used up."""
        runs = []
        live = [i for i in range(n) if due[i] > 0]
        value = [w ** power * (1 + 0.5 * noise * uniform()) for w in weight]
        while live:
            if noise:
                order = sorted(live, key=lambda i: -weight[i] * (1 + noise * uniform()))
            else:
                order = sorted(live, key=lambda i: -weight[i])
            least = min(weight[i] for i in live)
            top = max(due[i] for i in live)
            best_rate = -1.0
            tries = {due[i] // c for i in live for c in (1, 2, 3) if due[i] >= c}
            if len(tries) > 12:
                tries = rnd.sample(sorted(tries), 12)
            for x in tries:
                room = W
                pattern = []
                covered = 0.0
                for i in order:
                    w = weight[i]
                    if w <= room:
                        c = due[i] // x
                        if c:
                            m = room // w
                            if c > m:
                                c = m
                            room -= c * w
                            covered += c * x * value[i]
                            pattern.append((i, c))
                            if room < least:
                                break
                if room >= least:
                    for i in order:
                        if weight[i] <= room and due[i] % x and all(j != i for j, c in pattern if c != due[i] // x):
                            covered += due[i] % x * value[i]
                            room -= weight[i]
                            pattern.append((i, 1))
                            if room < least:
                                break
                work[0] += len(order) + 4
                rate = covered / (x * length + setup) * (1 + 0.2 * noise * uniform())
                if rate > best_rate:
                    best_rate, best_x, best_pattern = rate, x, pattern
            count = {}
            for i, c in best_pattern:
                count[i] = count.get(i, 0) + c
            x = 0
            for i, c in count.items():
                x = max(x, -(-due[i] // c))
            x = min(x, best_x)
            for i, c in count.items():
                due[i] -= c * x
            runs.append((x, tuple(sorted(count.items()))))
            live = [i for i in live if due[i] > 0]
        return runs

    def cost(runs):
        return sum(x for x, _ in runs) * length + setup * len(runs)

    def tidy(runs):
        """Equal patterns together, and no bar more than needed."""
        merged = {}
        for x, p in runs:
            merged[p] = merged.get(p, 0) + x
        made = [0] * n
        for p, x in merged.items():
            for i, c in p:
                made[i] += c * x
        out = []
        for p, x in sorted(merged.items(), key=lambda e: e[1]):
            drop = min(min((made[i] - quantities[i]) // c for i, c in p), x)
            if drop > 0:
                for i, c in p:
                    made[i] -= c * drop
                x -= drop
            if x:
                out.append((x, p))
        return out

    runs = None
    for power in (1.0, 1.05, 1.1, 1.2):
        other = tidy(build(list(quantities), 0.0, power))
        if runs is None or cost(other) < cost(runs):
            runs = other
    value = cost(runs)
    best, best_value = runs, value
    limit = 1_900_000
    start = 0.01 * value
    while work[0] < limit:
        heat = start * (1 - work[0] / limit) ** 2 * 0.3 + 1e-9
        k = min(len(runs), 2 + int(uniform() * uniform() * 14))
        seed = rnd.randrange(len(runs))
        gone = {seed}
        while len(gone) < k:
            r = rnd.randrange(len(runs))
            o = rnd.randrange(len(runs))
            gone.add(r if runs[r][0] <= runs[o][0] else o)
            if uniform() < 0.1:
                k -= 1
        due = list(quantities)
        keep = []
        for r, (x, p) in enumerate(runs):
            if r not in gone:
                keep.append((x, p))
                for i, c in p:
                    due[i] -= c * x
        work[0] += n
        new = tidy(keep + build(due, 0.6 * uniform(), 0.95 + 0.3 * uniform()))
        v = cost(new)
        if v <= value or uniform() < exp((value - v) / heat):
            runs, value = new, v
            if v < best_value:
                best, best_value = new, v
    return [[i for i, c in p for _ in range(c)] for x, p in best for _ in range(x)]
