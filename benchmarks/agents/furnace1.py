# -*- coding: utf-8 -*-
#
# Heuristic for furnace (version 1): minimise weighted minutes.
# Found by the search: Gapsmith 0.2.0.dev0, run 20261128-033136-furnace-13c2, candidate 45cefbf05c4eb35f.
# Sandbox: all layers on (rlimits, seccomp, landlock, namespaces, uid).
# best baseline batc-50 1223 % → champion 1103 % on test: better beyond noise (212 better, 0 equal, 88 worse of 300 instances, p < 0.0001).
#
# Optimality gap (to optimum or bound) on the test split (300 instances; references: 300 bounds):
#   mean of ratios 1103 % [384, 3699] (95 % interval over instances)
#   ratio of sums 142 %; equal to the reference on 0 of 300
#   start program, same instances: 4304 % [1350, 15961]
#
# Check it again: gapsmith evaluate runs/20261128-033136-furnace-13c2/campaign.toml best.py --split test
# Use it: python best.py, then a JSON line with times, closes, then each revealed line; it answers line by line
#
# The task (the program checks no values: for others than these it may fail or answer wrongly):
#   Three identical furnaces treat orders that arrive over a day. Each order has a family, a size of 1 to 4
#   baskets, a weight and a due time, known when it arrives; nothing is known of later orders. A charge holds
#   orders of one family, at most 8 baskets together, and runs for the family's treatment time; it is not
#   opened before. Whenever a furnace is free and orders wait, choose(now, waiting, busy, times, closes) is
#   asked; after a charge has started it is asked again while a furnace is free and orders wait. All times
#   are minutes. waiting: the waiting orders by arrival, each as (family, baskets, weight, due, arrival);
#   busy: the ends of the charges that run, sorted, so len(busy) < 3 here; times[f]: treatment time of family
#   f; closes: the minute after which no order arrives. Return the positions in waiting of the orders of the
#   charge that starts now, or [] to wait: then it is asked again after the next arrival, end of a charge or
#   the closing. To wait when now >= closes and busy is empty is an error. Minimise the sum over orders of
#   weight times max(0, end of its charge - due). Gaps are against a bound that knows all arrivals: 0 is not
#   attainable.

from math import exp
from random import Random

ROUNDS, ROUND, AHEAD, K, SEED, CUT, BIAS, MIX = 5, 8, 0.5, 0.5, 1, 1.5, 0.05, 0.8
WAIT = 1
POLICIES = ((0.5, 0.5, 0),)
RATE, PRIOR, RECENT, SPAN, FADE = 60 / 720, 120.0, 1.0, 30.0, 30.0


def charge(rows, t, k, power=0.0, fill=0.5):
    """Orders (f, s, w, d, r) of one family with latest start in d: BATC value and members."""
    keyed = []
    for o in rows:
        slack = o[3] - t
        keyed.append(((o[2] * exp(-slack * k) if slack > 0 else o[2]), o))
    keyed.sort(key=(lambda e: -e[0] / e[1][1] ** power) if power else (lambda e: -e[0]))
    room, value, take = 8, 0.0, []
    for v, o in keyed:
        if o[1] <= room:
            room -= o[1]
            value += v
            take.append(o)
            if not room:
                break
    return value * (1.0 - room / 8.0) ** fill, take


def play(t, pools, future, free, times, k, fill, least):
    """Weighted tardiness of BATC from minute t; pools: family -> list of orders whose d is the latest start."""
    cost, n, total, i = 0, sum(map(len, pools.values())), len(future), 0
    while n or i < total:
        free.sort()
        if free[0] > t:
            t = free[0]
        if not n and future[i][4] > t:
            t = future[i][4]
        while i < total and future[i][4] <= t:
            o = future[i]
            pools.setdefault(o[0], []).append(o)
            n += 1
            i += 1
        best, take = -1.0, ()
        for f, rows in pools.items():
            if rows:
                v, members = charge(rows, t, k, 0.0, fill)
                v /= times[f]
                if v > best:
                    best, take = v, members
        f = take[0][0]
        if least and sum(o[1] for o in take) < least and all(o[3] > t for o in take):
            later = [e for e in free[1:] if e > t]
            if i < total:
                later.append(future[i][4])
            if later:
                free[0] = min(later)
                continue
        rows = pools[f]
        for o in take:
            rows.remove(o)
            if t > o[3]:
                cost += o[2] * (t - o[3])
        n -= len(take)
        free[0] = t + times[f]
    return cost


seen = {}


def draw(rng, history, now, closes, times, rate, recent, span):
    """Orders that may arrive after now: a Poisson stream, kinds like those seen."""
    future, at = [], float(now)
    while True:
        at += rng.expovariate(rate + RECENT * max(0.0, recent - rate) * exp(-(at - now) / FADE))
        if at >= closes or at > now + span:
            return future
        g, s, w, d, r = rng.choice(history)
        f = g
        if rng.random() > MIX:
            f, s = rng.randrange(len(times)), rng.randint(1, 4)
        t = int(at) + 1
        future.append((f, s, w, d - r - times[g] + t, t, -len(future) - 1))  # slack as seen; latest start


def choose(now, waiting, busy, times, closes):
    """Tries each charge and waiting in days drawn from what was seen, each played on by BATC."""
    for o in waiting:
        seen[o] = None
    mean = sum(times) / len(times)
    k = 1.0 / (K * mean)
    late = [(f, s, w, d - times[f], r, i) for i, (f, s, w, d, r) in enumerate(waiting)]
    families = {}
    for o in late:
        families.setdefault(o[0], []).append(o)
    actions = {}
    for f, rows in families.items():
        for kk, power in ((k, 0.0), (k, 1.0), (4 * k, 0.5), (0.25 * k, 0.5)):
            take = charge(rows, now, kk, power)[1]
            actions[tuple(sorted(o[5] for o in take))] = None
    if WAIT and (busy or now < closes):
        actions[()] = None
    if len(actions) == 1:
        return list(next(iter(actions)))
    history = list(seen)
    rng = Random(SEED * 1000 + now)
    rate = (len(history) + RATE * PRIOR) / (now + PRIOR)
    recent = sum(o[4] > now - SPAN for o in history) / SPAN
    costs = {(action, policy): [] for action in actions for policy in POLICIES}
    for _ in range(ROUNDS):
        for _ in range(ROUND):
            future = draw(rng, history, now, closes, times, rate, recent, AHEAD * mean)
            for (action, (kappa, fill, least)), list_ in costs.items():
                pools = {f: list(rows) for f, rows in families.items()}
                free, t, cost = busy + [now] * (3 - len(busy)), now, 0
                if action:
                    f = waiting[action[0]][0]
                    for i in action:
                        o = late[i]
                        pools[f].remove(o)
                        if now > o[3]:
                            cost += o[2] * (now - o[3])
                    free[-1] = now + times[f]
                else:
                    nxt = [future[0][4]] if future else [closes] if now < closes else []
                    t = min(nxt + busy[:1])
                    cost = BIAS * mean
                list_.append(cost + play(t, pools, future, free, times, 1.0 / (kappa * mean), fill, least))
        best = min(costs, key=lambda a: sum(costs[a]))
        n = len(costs[best])
        for action in list(costs):
            if action != best:
                gaps = [a - b for a, b in zip(costs[action], costs[best])]
                m = sum(gaps) / n
                if m > CUT * (sum((g - m) ** 2 for g in gaps) / (n - 1) / n) ** 0.5:
                    del costs[action]
        if len({action for action, _ in costs}) == 1:
            break
    return list(min(costs, key=lambda a: sum(costs[a]))[0])


def _gapsmith_main(heuristic):
    # Standard input: the instance as one JSON line, then one revealed line at a time;
    # standard output: one decision a line.
    # All names are local, so that none of them stands for one of the heuristic's own.
    import json
    import sys

    # Not imported: a candidate may not import them, and this file may become a start program.
    builtins, os = sys.modules["builtins"], sys.modules["os"]
    if os.environ.get("PYTHONHASHSEED") != "0":  # once; sets keep the sandbox's order
        again = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": "0"})

    def read(text):
        keys, wrong = ['times', 'closes'], sys.argv[0] + ": standard input: "
        try:
            instance = json.loads(text)
        except builtins.ValueError as error:
            raise builtins.SystemExit(wrong + "expected JSON, got " + builtins.str(error))
        given = instance if builtins.isinstance(instance, builtins.dict) else ()
        if lacking := [key for key in keys if key not in given]:
            wrong += "expected one object with " + ", ".join(keys)
            raise builtins.SystemExit(wrong + ", got none or one without " + ", ".join(lacking))
        return instance

    driver = {}
    builtins.exec('''import json

def drive(choose, instance, receive, send):
    """Runs in the sandbox with the candidate's function: passes on what is revealed, sends each decision."""
    while (line := receive()) is not None:
        now, waiting, busy = json.loads(line)
        chosen = choose(now, [tuple(o) for o in waiting], busy, list(instance["times"]), instance["closes"])
        try:
            send(json.dumps([int(i) for i in chosen]).encode()[:2000])
        except (TypeError, ValueError):
            send(b"no list of whole numbers")
            return
''', driver)

    def receive():
        line = sys.stdin.buffer.readline()
        return line.strip() if line.strip() else None

    def send(line):
        sys.stdout.write(line.decode() + "\n")
        sys.stdout.flush()

    driver["drive"](heuristic, read(sys.stdin.buffer.readline()), receive, send)


if __name__ == "__main__":
    _gapsmith_main(choose)
