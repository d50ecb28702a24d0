"""Bidirectional iterated beam search (after Libralesso et al. 2022), with its incumbent sharpened by iterated greedy."""

import math
import random

import numpy as np

BUDGET = 60_000_000  # child cells (children x machines x 2 directions) over the run
LEVEL_COST = 12_000  # cells charged per level for the overhead of calls
START_WIDTH = 40
GROWTH = 2.0
ALPHAS = (0.5, 0.8, 0.3)  # weight of the mean machine total at the root, one per pass, in turn
SHARPEN_AFTER = 3  # cut passes before the incumbent is sharpened
SHARPEN_CELLS = 3_000_000  # elementary steps of the iterated greedy
PLACE_COST = 6  # elementary steps charged per place for loop overhead
OUT = 3
TEMPERATURE = 0.5


def sequence(times: list[list[int]]) -> list[int]:
    """The best order of beams of growing width."""
    n, m = len(times), len(times[0])
    if n == 1:
        return [0]
    work = np.array(times, dtype=np.int32)
    unit = 2 * n * n * m
    left = BUDGET
    width = max(1, min(START_WIDTH, BUDGET // (6 * unit)))
    best, least, turn = list(range(n)), 1 << 30, 0
    sharp = False
    while True:
        order, span, cut, cost = beam(work, width, least, ALPHAS[turn % len(ALPHAS)])
        left -= cost
        if order is not None and span < least:
            best, least = order, span
        if not cut:
            return best  # nothing was thrown away but by the bound: optimal
        turn += 1
        if turn == SHARPEN_AFTER:
            sharp = True
            best, least = sharpened(best, least, times)
        room = int((left - n * LEVEL_COST) / unit)
        wanted = int(width * GROWTH) + 1
        if room < max(1, width // 2):
            break
        width = min(wanted, room)
    if not sharp:
        best, least = sharpened(best, least, times)
    return best


def sharpened(order, span, times):
    """Iterated greedy from the order, as long as its share of work lasts."""
    n, m = len(times), len(times[0])
    stream = random.Random(3)
    rows = [tuple(row) for row in times]
    back = [row[::-1] for row in rows]
    warmth = TEMPERATURE * sum(map(sum, times)) / (10 * n * m)
    left = SHARPEN_CELLS
    best, least = order[:], span
    now, value = order[:], span
    while left > 0:
        out = stream.sample(now, min(OUT, n - 1))
        trial = [j for j in now if j not in out]
        for job in stream.sample(trial, len(trial)):
            left -= (len(trial) + 1) * (3 * m + PLACE_COST)
            trial.remove(job)
            insert(trial, job, rows, back, m, stream)
        for job in out:
            left -= (len(trial) + 1) * (3 * m + PLACE_COST)
            new = insert(trial, job, rows, back, m, stream)
        better = True
        while better and left > 0:
            better = False
            for job in stream.sample(trial, n):
                left -= n * (3 * m + PLACE_COST)
                trial.remove(job)
                shorter = insert(trial, job, rows, back, m, stream)
                if shorter < new:
                    new, better = shorter, True
                if left <= 0:
                    break
        if new <= value or stream.random() < math.exp((value - new) / warmth):
            now, value = trial, new
        if new < least:
            best, least = trial[:], new
    return best, least


def insert(order, job, rows, back, m, stream) -> int:
    """Puts the job at one of its best places; the makespan then."""
    tail = [0] * m
    tails = [tail]
    for j in reversed(order):
        end, new = 0, []
        for t, p in zip(tail, back[j]):
            if t > end:
                end = t
            end += p
            new.append(end)
        tail = new
        tails.append(tail)
    row, heads, last = rows[job], [0] * m, len(order)
    least, places = 1 << 60, []
    for place in range(last + 1):
        end = span = 0
        for h, p, q in zip(heads, row, reversed(tails[last - place])):
            if h > end:
                end = h
            end += p
            if end + q > span:
                span = end + q
                if span > least:
                    break
        if span < least:
            least, places = span, [place]
        elif span == least:
            places.append(place)
        if place < last:
            end, new = 0, []
            for h, p in zip(heads, rows[order[place]]):
                if h > end:
                    end = h
                end += p
                new.append(end)
            heads = new
    order.insert(places[int(stream.random() * len(places))], job)
    return least


def beam(work, width, ub, alpha):
    """The best order below ub found with the width, its makespan, whether nodes were cut, and the cost."""
    n, m = work.shape
    front = np.zeros((1, m), np.int32)
    back = np.zeros((1, m), np.int32)
    rest = work.sum(axis=0, dtype=np.int32)[None, :]
    free = np.ones((1, n), bool)
    order = np.zeros((1, n), np.int32)
    placed = np.zeros(1, np.int64)  # jobs at the beginning
    stream = np.random.RandomState(7)
    keys = stream.randint(1, 1 << 60, size=(2, n)).astype(np.int64)
    spots = stream.randint(1, 1 << 60, size=(2, m)).astype(np.int64)
    sets = np.zeros(1, np.int64)
    cut, cost = False, 0
    for level in range(n):
        d = len(front)
        cost += 2 * d * n * m + LEVEL_COST
        alphan = alpha * (n - 1 - level) / n
        ahead, bound_a, mean_a = children(front, back, rest, work, range(m))
        behind, bound_b, mean_b = children(back, front, rest, work, range(m - 1, -1, -1))
        good_a = free & (bound_a < ub)
        good_b = free & (bound_b < ub)
        count_a, count_b = good_a.sum(axis=1), good_b.sum(axis=1)
        sum_a = np.where(free, bound_a, 0).sum(axis=1)
        sum_b = np.where(free, bound_b, 0).sum(axis=1)
        forward = (count_a < count_b) | ((count_a == count_b) & (sum_a >= sum_b))
        good = np.where(forward[:, None], good_a, good_b)
        node, job = np.nonzero(good)
        if len(node) == 0:
            return None, ub, cut, cost
        go = forward[node]
        bound = np.where(go, bound_a[node, job], bound_b[node, job])
        mean = np.where(go, mean_a[node, job], mean_b[node, job]) / m
        guide = (1 - alphan) * bound + alphan * mean
        if len(node) > width:
            # a few more than needed, so that equal nodes can be dropped
            take = min(len(node), width + width // 2)
            if take < len(node):
                pick = np.argpartition(guide, take - 1)[:take]
                cut = True
            else:
                pick = np.arange(len(node))
            pick = pick[np.argsort(guide[pick], kind="stable")]
            node, job, go = node[pick], job[pick], go[pick]
        side = go[:, None]
        new_front = np.where(side, ahead[node, job], front[node])
        new_back = np.where(side, back[node], behind[node, job])
        new_sets = sets[node] + np.where(go, keys[0][job], keys[1][job])
        if len(node) > 1:
            mark = new_sets + new_front.astype(np.int64) @ spots[0] + new_back.astype(np.int64) @ spots[1]
            _, first = np.unique(mark, return_index=True)
            first.sort()
            if len(first) > width:
                first = first[:width]
                cut = True
            node, job, go = node[first], job[first], go[first]
            new_front, new_back, new_sets = new_front[first], new_back[first], new_sets[first]
        front, back, sets = new_front, new_back, new_sets
        rest = rest[node] - work[job]
        free = free[node]
        rows = np.arange(len(node))
        free[rows, job] = False
        order = order[node]
        start = placed[node]
        order[rows, np.where(go, start, n - 1 - (level - start))] = job
        placed = start + go
    spans = (front + back).max(axis=1)
    least = int(spans.argmin())
    return [int(j) for j in order[least]], int(spans[least]), cut, cost


def children(near, far, rest, work, machines):
    """Fronts after each job at the near end, the largest machine total, and the sum of the totals."""
    d, m = near.shape
    n = len(work)
    fronts = np.empty((d, n, m), np.int32)
    end = np.zeros((d, n), np.int32)
    bound = np.zeros((d, n), np.int32)
    total = np.zeros((d, n), np.int32)
    for k in machines:
        end = np.maximum(end, near[:, k, None]) + work[None, :, k]
        fronts[:, :, k] = end
        load = end + (rest[:, k] + far[:, k])[:, None] - work[None, :, k]
        np.maximum(bound, load, out=bound)
        total += load
    return fronts, bound, total
