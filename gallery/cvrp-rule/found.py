"""A pool of routes from randomised savings, the best cover of all customers from it, looked up at each call."""

import math
import random

import numpy as np

RUNS_TOTAL = 1600.0
NOISE = 0.6
LAMBDA_LOW = 0.5
LAMBDA_HIGH = 1.8
SEARCH_NODES = 1200
SEED = 4711
CAPACITY_STEP = 10
GUESSES = 3
SHARE = 0.5


def _tour(route, D):
    """Improves one route by reversals and moves of single customers."""
    t = [0] + route + [0]
    m = len(t)
    if m <= 4:
        return t[1:-1]
    better = True
    while better:
        better = False
        for i in range(1, m - 2):
            a = t[i - 1]
            b = t[i]
            Da = D[a]
            Db = D[b]
            ab = Da[b]
            for j in range(i + 1, m - 1):
                c = t[j]
                e = t[j + 1]
                if Da[c] + Db[e] - ab - D[c][e] < -1e-9:
                    t[i:j + 1] = t[i:j + 1][::-1]
                    better = True
                    b = t[i]
                    Db = D[b]
                    ab = Da[b]
        for i in range(1, m - 1):
            x = t[i]
            Dx = D[x]
            gain = Dx[t[i - 1]] + Dx[t[i + 1]] - D[t[i - 1]][t[i + 1]]
            u = t[:i] + t[i + 1:]
            bv = gain - 1e-9
            bj = -1
            for j in range(1, m - 1):
                v = Dx[u[j - 1]] + Dx[u[j]] - D[u[j - 1]][u[j]]
                if v < bv:
                    bv = v
                    bj = j
            if bj > 0:
                u.insert(bj, x)
                t = u
                better = True
    return t[1:-1]


def _plan(nodes, D, dem, cap, runs):
    rng = random.Random(SEED)
    rnd = rng.random
    D0 = D[0]
    base = []
    for i, a in enumerate(nodes):
        Da = D[a]
        for b in nodes[i + 1:]:
            base.append((D0[a] + D0[b], Da[b], a, b))
    pool = {}
    full = 0
    for c in nodes:
        full |= 1 << c
        pool[1 << c] = (2.0 * D0[c], [c])
    best_cost = float("inf")
    best = [[c] for c in nodes]
    for run in range(max(1, runs)):
        if run == 0:
            lam = 1.0
            noise = 0.0
        else:
            lam = LAMBDA_LOW + (LAMBDA_HIGH - LAMBDA_LOW) * rnd()
            noise = NOISE * rnd()
        half = 1.0 - noise * 0.5
        order = sorted([((lam * w - s) * (half + noise * rnd()), a, b) for s, w, a, b in base if s > lam * w])
        owner = {c: c for c in nodes}
        routes = {c: [c] for c in nodes}
        load = {c: dem[c] for c in nodes}
        for _, a, b in order:
            ka = owner[a]
            kb = owner[b]
            if ka == kb or load[ka] + load[kb] > cap:
                continue
            ra = routes[ka]
            rb = routes[kb]
            if ra[-1] != a:
                if ra[0] != a:
                    continue
                ra = ra[::-1]
            if rb[0] != b:
                if rb[-1] != b:
                    continue
                rb = rb[::-1]
            routes[ka] = ra + rb
            load[ka] += load[kb]
            for c in rb:
                owner[c] = ka
            del routes[kb]
        total = 0.0
        keys = []
        for r in routes.values():
            mask = 0
            for c in r:
                mask |= 1 << c
            keys.append(mask)
            if mask not in pool:
                t = _tour(r, D)
                v = D0[t[-1]]
                p = 0
                for c in t:
                    v += D[p][c]
                    p = c
                pool[mask] = (v, t)
            total += pool[mask][0]
        if total < best_cost - 1e-9:
            best_cost = total
            best = [pool[k][1] for k in keys]

    # fair prices of the customers: no pool route is dearer than its customers together
    mean = sum(dem[c] for c in nodes) / len(nodes)
    weight = {c: (D0[c] + 1.0) * (SHARE + dem[c] / mean) for c in nodes}
    price = {c: float("inf") for c in nodes}
    for v, t in pool.values():
        rate = v / sum([weight[c] for c in t])
        for c in t:
            w = rate * weight[c]
            if w < price[c]:
                price[c] = w
    through = {c: [] for c in nodes}
    for mask, (v, t) in pool.items():
        red = v - sum([price[c] for c in t])
        for c in t:
            through[c].append((red, mask, v))
    for c in nodes:
        through[c].sort()
    order = sorted(nodes, key=lambda c: (len(through[c]), c))
    state = [best_cost, None, 0]

    def dive(covered, bound, chosen):
        state[2] += 1
        for c in order:
            if not covered >> c & 1:
                break
        else:
            if bound < state[0] - 1e-6:
                state[0] = bound
                state[1] = list(chosen)
            return
        for red, mask, _ in through[c]:
            if bound + red >= state[0] - 1e-6 or state[2] > SEARCH_NODES:
                return
            if not mask & covered:
                chosen.append(mask)
                dive(covered | mask, bound + red, chosen)
                chosen.pop()

    dive(0, sum(price.values()), [])
    if state[1] is not None:
        best = [pool[k][1] for k in state[1]]
    return sorted(best, key=lambda r: (-max(D0[c] for c in r), r[0]))


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_capacity: float,
    demands: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """Look up the next node in the plan that every call computes alike."""
    left = [int(x) for x in unvisited_nodes]
    here = int(current_node)
    rest = float(rest_capacity)
    D = distance_matrix.tolist()
    dem = [float(x) for x in demands]
    n = len(dem)
    everyone = list(range(1, n))
    runs = int(RUNS_TOTAL / n)
    seen = set(left)

    if here == depot:
        if len(left) == 1:
            return left[0]
        routes = _plan(everyone, D, dem, rest, runs)
        for k in range(len(routes)):
            if set(c for r in routes[k:] for c in r) == seen:
                return routes[k][0]
        return _plan(sorted(left), D, dem, rest, runs)[0][0]

    low = max(rest + dem[here], 2.0 * max(dem))
    guess = int(math.ceil(low / CAPACITY_STEP - 1e-9)) * CAPACITY_STEP
    for i in range(GUESSES):
        cap = float(guess + CAPACITY_STEP * i)
        routes = _plan(everyone, D, dem, cap, runs)
        for k, r in enumerate(routes):
            if here in r:
                p = r.index(here)
                tail = r[p + 1:]
                if abs(cap - sum(dem[c] for c in r[:p + 1]) - rest) > 1e-6:
                    break
                expect = set(c for c in tail if dem[c] <= rest)
                for other in routes[k + 1:]:
                    expect.update(c for c in other if dem[c] <= rest)
                if expect == seen:
                    return tail[0] if tail else depot
                break
    best = None
    for c in left:
        v = D[here][c] + D[c][0] - D[here][0]
        if best is None or v < best[0]:
            best = (v, c)
    if best[0] > 1.4 * D[best[1]][0]:
        return depot
    return best[1]
