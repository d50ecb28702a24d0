"""One tour from the matrix alone, the same in every call, is followed step by step."""

import random

import numpy as np

TOTAL_WORK = 22000.0  # nodes looked at by the local search, all calls together
NEIGHBOURS = 8
MAX_SEGMENT = 3
KICK_LENGTH = 12
SEED = 5
EPS = 1e-7
TOO_MUCH = 1e8


def reverse(tour, pos, i, j):
    """Reverse the places i to j of the cycle, or the places outside, which is the same cycle."""
    if i > j:
        i, j = j + 1, i - 1
        if i > j:
            return
    tour[i : j + 1] = tour[i : j + 1][::-1]
    for k in range(i, j + 1):
        pos[tour[k]] = k


def move(tour, pos, segment, c, behind):
    """Put the segment behind (or, reversed, before) node c, its first node next to c."""
    rest = [x for x in tour if x not in segment]
    k = rest.index(c)
    if behind:
        rest[k + 1 : k + 1] = segment
    else:
        rest[k:k] = segment[::-1]
    tour[:] = rest
    for k, x in enumerate(rest):
        pos[x] = k


def local_search(tour, pos, rows, near, stack, queued):
    """2-opt and Or-opt over neighbour lists; changes tour and pos; returns (gain, nodes looked at)."""
    n = len(tour)
    total = 0.0
    looked = 0
    while stack:
        a = stack.pop()
        queued[a] = 0
        again = True
        while again:
            again = False
            looked += 1
            i = pos[a]
            row = rows[a]
            close = near[a]
            nxt = tour[i + 1 - n]
            prv = tour[i - 1]
            # 2-opt, edge to the successor
            d1 = row[nxt]
            for c in close:
                g = d1 - row[c]
                if g <= EPS:
                    break
                d = tour[pos[c] + 1 - n]
                gain = g + rows[c][d] - rows[nxt][d]
                if gain > EPS:
                    reverse(tour, pos, pos[nxt], pos[c])
                    again = True
                    touched = (nxt, c, d)
                    break
            if not again:
                # 2-opt, edge to the predecessor
                d1 = row[prv]
                for c in close:
                    g = d1 - row[c]
                    if g <= EPS:
                        break
                    d = tour[pos[c] - 1]
                    gain = g + rows[c][d] - rows[prv][d]
                    if gain > EPS:
                        reverse(tour, pos, i, pos[d])
                        again = True
                        touched = (prv, c, d)
                        break
            if not again:
                # Or-opt: a and up to MAX_SEGMENT - 1 nodes behind it go beside a near node
                for step in (1, -1):
                    p = tour[(i - step) % n]
                    segment = []
                    for k in range(MAX_SEGMENT):
                        e = tour[(i + step * k) % n]
                        q = tour[(i + step * (k + 1)) % n]
                        segment.append(e)
                        if q == p or e == p:
                            break
                        freed = row[p] + rows[e][q] - rows[p][q]
                        if freed <= EPS:
                            continue
                        for c in close:
                            g = freed - row[c]
                            if g <= EPS:
                                break
                            if c in segment:
                                continue
                            j = pos[c]
                            row_c = rows[c]
                            d = tour[j + 1 - n]
                            if d not in segment:
                                gain = g + row_c[d] - rows[e][d]
                                if gain > EPS:
                                    move(tour, pos, segment, c, True)
                                    again = True
                                    break
                            d = tour[j - 1]
                            if d not in segment:
                                gain = g + row_c[d] - rows[e][d]
                                if gain > EPS:
                                    move(tour, pos, segment, c, False)
                                    again = True
                                    break
                        if again:
                            break
                    if again:
                        touched = (p, q, e, c, d)
                        break
            if again:
                total += gain
                for x in touched:
                    if not queued[x]:
                        queued[x] = 1
                        stack.append(x)
    return total, looked


def greedy_tour(matrix, n):
    """The cycle of the greedy edge heuristic, as a list from node 0."""
    upper_i, upper_j = np.triu_indices(n, 1)
    order = np.argsort(matrix[upper_i, upper_j], kind="stable")
    ends = list(range(n))  # other end of the fragment, for its end nodes
    links = [[] for _ in range(n)]
    left = n - 1
    for u, v in zip(upper_i[order].tolist(), upper_j[order].tolist()):
        if len(links[u]) < 2 and len(links[v]) < 2 and ends[u] != v:
            links[u].append(v)
            links[v].append(u)
            eu, ev = ends[u], ends[v]
            ends[eu] = ev
            ends[ev] = eu
            left -= 1
            if not left:
                break
    start = [x for x in range(n) if len(links[x]) == 1][0]
    tour = [start]
    before, here = -1, start
    while len(tour) < n:
        pair = links[here]
        after = pair[0] if pair[0] != before else pair[1]
        before, here = here, after
        tour.append(here)
    return tour


def good_tour(matrix, allowance):
    """Greedy edges, local search, then segment swaps with repair until the allowance is used."""
    n = len(matrix)
    rows = matrix.tolist()
    near = np.argsort(matrix, axis=1, kind="stable")[:, :NEIGHBOURS].tolist()
    tour = greedy_tour(matrix, n)
    pos = [0] * n
    for k, x in enumerate(tour):
        pos[x] = k
    queued = [1] * n
    looked = local_search(tour, pos, rows, near, tour[::-1], queued)[1]
    if n < 8:
        return tour
    draw = random.Random(SEED).random
    longest = max(1, min(KICK_LENGTH, (n - 2) // 3))
    while looked < allowance:
        la = 1 + int(draw() * longest)
        lb = 1 + int(draw() * longest)
        i = int(draw() * (n - la - lb - 1))
        j = i + la
        k = j + lb
        a, b, c, d, e, f = tour[i], tour[i + 1], tour[j], tour[j + 1], tour[k], tour[k + 1]
        worse = rows[a][d] + rows[e][b] + rows[c][f] - rows[a][b] - rows[c][d] - rows[e][f]
        looked += 1
        if worse > TOO_MUCH:
            continue
        old_tour, old_pos = tour[:], pos[:]
        tour[i + 1 : k + 1] = tour[j + 1 : k + 1] + tour[i + 1 : j + 1]
        for t in range(i + 1, k + 1):
            pos[tour[t]] = t
        stack = list({a, b, c, d, e, f})
        for x in stack:
            queued[x] = 1
        gain, more = local_search(tour, pos, rows, near, stack, queued)
        looked += more
        if gain < worse - EPS:
            tour, pos = old_tour, old_pos
    return tour


def select_next_node(
    current_node: int, destination_node: int, unvisited_nodes: np.ndarray, distance_matrix: np.ndarray
) -> int:
    """The next unvisited node on the tour, in a direction fixed by the matrix."""
    if len(unvisited_nodes) < 3 or len(distance_matrix) < 5:
        return last_nodes(current_node, destination_node, unvisited_nodes.tolist(), distance_matrix)
    matrix = np.array(distance_matrix, dtype=float)
    n = len(matrix)
    np.fill_diagonal(matrix, 1e9)
    tour = good_tour(matrix, TOTAL_WORK / n)
    start = tour.index(int(destination_node))
    tour = tour[start:] + tour[:start]
    if tour[1] > tour[-1]:
        tour = tour[:1] + tour[:0:-1]
    left = set(unvisited_nodes.tolist())
    here = tour.index(int(current_node))
    for k in range(1, n + 1):
        node = tour[(here + k) % n]
        if node in left:
            return int(node)
    return int(unvisited_nodes[0])


def last_nodes(current, destination, left, matrix):
    """The best of at most three nodes left."""
    if len(left) == 1:
        return int(left[0])
    best = None
    for first in left:
        others = [x for x in left if x != first]
        for order in (others, others[::-1]):
            route = [current, first, *order, destination]
            length = sum(float(matrix[x, y]) for x, y in zip(route, route[1:]))
            if best is None or length < best[0]:
                best = (length, first)
    return int(best[1])
