"""Rolling plan from two starts polished by 3-opt; kicks near the current node and everywhere in turn."""

import random
from itertools import permutations

import numpy as np

TOTAL_WORK = 62000.0  # nodes looked at by the local search, all calls together
SHARE_POWER = 1.0  # the allowance of a call grows with this power of the nodes in the plan
NEIGHBOURS = 7
LENGTH_POWER = 2.2  # segments of kicks have up to a quarter of the nodes; the larger the power, the fewer long ones
KICKS_PER_NODE = 4.0  # no more kicks than this in a plan
FOCUS = 1.7  # 1: kicks everywhere; larger: nearer to the current node
SEED = 5
EPS = 1e-7
FIXED = -1e9  # length of the edge that closes the path to a cycle


def local_search(tour, pos, rows, near, stack, queued):
    """Sequential 3-opt (2-opt included) over neighbour lists; changes tour and pos; returns (gain, nodes looked at)."""
    n = len(tour)
    total = 0.0
    looked = 0
    while stack:
        t2 = stack.pop()
        queued[t2] = 0
        row2 = rows[t2]
        close = near[t2]
        nearest = row2[close[0]]
        again = True
        while again:
            again = False
            looked += 1
            i = pos[t2]
            for s in (1, -1):
                # the cycle is read as r[0] = t2, ..., r[n - 1] = t1, forwards or backwards
                t1 = tour[i - 1] if s == 1 else tour[i + 1 - n]
                d12 = row2[t1]
                if nearest >= d12:
                    continue
                row1 = rows[t1]
                kind = 0
                for t3 in close:
                    g1 = d12 - row2[t3]
                    if g1 <= EPS:
                        break
                    j = pos[t3]
                    p3 = (s * (j - i)) % n
                    row3 = rows[t3]
                    if s == 1:
                        t4 = tour[j - 1]
                        t4b = tour[j + 1 - n]
                    else:
                        t4 = tour[j + 1 - n]
                        t4b = tour[j - 1]
                    if p3 > 1:
                        g = g1 + row3[t4]
                        gain = g - row1[t4]
                        if gain > EPS:
                            kind = 1
                            t5 = t6 = t1
                            p5 = 0
                            break
                        row4 = rows[t4]
                        for t5 in near[t4]:
                            g2 = g - row4[t5]
                            if g2 <= EPS:
                                break
                            j5 = pos[t5]
                            p5 = (s * (j5 - i)) % n
                            if p5 > p3:
                                t6 = tour[j5 - 1] if s == 1 else tour[j5 + 1 - n]
                                gain = g2 + rows[t5][t6] - row1[t6]
                                if gain > EPS:
                                    kind = 2
                                    break
                            elif p5 < p3 - 2:
                                t6 = tour[j5 + 1 - n] if s == 1 else tour[j5 - 1]
                                gain = g2 + rows[t5][t6] - row1[t6]
                                if gain > EPS:
                                    kind = 3
                                    break
                        if kind:
                            break
                    # the other neighbour of t3: the part r[0..p3] becomes a cycle that is opened at t5, t6
                    g = g1 + row3[t4b]
                    row4 = rows[t4b]
                    for t5 in near[t4b]:
                        g2 = g - row4[t5]
                        if g2 <= EPS:
                            break
                        j5 = pos[t5]
                        p5 = (s * (j5 - i)) % n
                        if p5 >= p3:
                            continue
                        row5 = rows[t5]
                        if s == 1:
                            up, down = tour[j5 + 1 - n], tour[j5 - 1]
                        else:
                            up, down = tour[j5 - 1], tour[j5 + 1 - n]
                        gain = g2 + row5[up] - row1[up]
                        if gain > EPS:
                            kind, t6 = 4, up
                            break
                        if p5:
                            gain = g2 + row5[down] - row1[down]
                            if gain > EPS:
                                kind, t6 = 5, down
                                break
                    if kind:
                        t4 = t4b
                        break
                if kind:
                    if s == 1:
                        r = tour[i:] + tour[:i]
                    else:
                        r = (tour[i + 1 :] + tour[: i + 1])[::-1]
                    if kind == 1:
                        r[:p3] = r[:p3][::-1]
                    elif kind == 2:
                        r[:p5] = r[p3:p5][::-1] + r[:p3]
                    elif kind == 3:
                        r[:p3] = r[p5 + 1 : p3] + r[: p5 + 1][::-1]
                    elif kind == 4:
                        r[: p3 + 1] = r[p5 + 1 : p3 + 1] + r[: p5 + 1]
                    else:
                        r[: p3 + 1] = r[:p5][::-1] + r[p5 : p3 + 1][::-1]
                    tour[:] = r
                    for k, x in enumerate(r):
                        pos[x] = k
                    total += gain
                    for x in (t6, t5, t4, t3, t1):
                        if not queued[x]:
                            queued[x] = 1
                            stack.append(x)
                    again = True
                    break
    return total, looked


def insertion_tour(matrix, rows, here, end):
    """The cycle of farthest insertion; the edge end-here, if there is one, stays."""
    n = len(rows)
    if here == end:
        apart = matrix[here].copy()
        apart[here] = -1.0
        end = int(apart.argmax())
    tour = [here, end]
    apart = np.minimum(matrix[here], matrix[end])
    apart[here] = apart[end] = -2e9
    for _ in range(n - 2):
        x = int(apart.argmax())
        np.minimum(apart, matrix[x], out=apart)
        apart[x] = -2e9
        row = rows[x]
        best, place = 1e18, 0
        a = tour[-1]
        for k, b in enumerate(tour):
            cost = row[a] + row[b] - rows[a][b]
            if cost < best:
                best, place = cost, k
            a = b
        tour.insert(place, x)
    return tour


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


def good_tour(matrix, here, end, allowance):
    """Greedy edges or farthest insertion, whichever local search makes shorter, local search, then segment swaps, mostly near here, with repair."""
    n = len(matrix)
    rows = matrix.tolist()
    order = np.argsort(matrix, axis=1, kind="stable")
    near = order[:, :NEIGHBOURS].tolist()
    around = order[here].tolist()
    looked = 0
    starts = []
    for tour in (greedy_tour(matrix, n), insertion_tour(matrix, rows, here, end)):
        pos = [0] * n
        for k, x in enumerate(tour):
            pos[x] = k
        looked += local_search(tour, pos, rows, near, tour[::-1], [1] * n)[1]
        starts.append((sum(rows[tour[k - 1]][tour[k]] for k in range(n)), len(starts), tour, pos))
    _, _, tour, pos = min(starts)
    queued = [0] * n
    draw = random.Random(SEED).random
    longest = max(1, (n - 2) // 4)
    for _ in range(int(KICKS_PER_NODE * n)):
        if looked >= allowance:
            break
        looked += 1
        la, lb, lc = (1 + int(longest * draw() ** LENGTH_POWER) for _ in range(3))
        i = pos[around[int(n * draw() ** FOCUS)]] - int(draw() * (la + lb + lc))
        i = max(0, min(i, n - la - lb - lc - 2))
        j = i + la
        k = j + lb
        m = k + lc
        a, b, c, d = tour[i], tour[i + 1], tour[j], tour[j + 1]
        e, f, g, h = tour[k], tour[k + 1], tour[m], tour[m + 1]
        worse = rows[a][f] + rows[g][d] + rows[e][b] + rows[c][h]
        worse -= rows[a][b] + rows[c][d] + rows[e][f] + rows[g][h]
        if worse > -FIXED / 2.0:
            continue
        old_tour, old_pos = tour[:], pos[:]
        tour[i + 1 : m + 1] = tour[k + 1 : m + 1] + tour[j + 1 : k + 1] + tour[i + 1 : j + 1]
        for t in range(i + 1, m + 1):
            pos[tour[t]] = t
        stack = list({a, b, c, d, e, f, g, h})
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
    """The first step of the plan."""
    left = unvisited_nodes.tolist()
    if len(left) < 4:
        return last_nodes(current_node, destination_node, left, distance_matrix)
    current, destination = int(current_node), int(destination_node)
    closed = current == destination
    # the nodes in order of their numbers, so that plans of successive calls resemble each other
    nodes = sorted(set(left) | {current, destination})
    index = np.array(nodes)
    matrix = np.array(distance_matrix[np.ix_(index, index)], dtype=float)
    np.fill_diagonal(matrix, 1e9)
    here = nodes.index(current)
    end = nodes.index(destination)
    if not closed:
        matrix[here, end] = matrix[end, here] = FIXED
    size = len(distance_matrix)
    share = (1.0 + SHARE_POWER) * (len(nodes) / size) ** SHARE_POWER / size
    tour = good_tour(matrix, here, end, TOTAL_WORK * share)
    place = tour.index(here)
    after, before = tour[place + 1 - len(tour)], tour[place - 1]
    if closed:
        choice = after if matrix[here, after] <= matrix[here, before] else before
    else:
        choice = after if before == end else before
    return int(nodes[choice])


def last_nodes(current, destination, left, matrix):
    """The first of at most three nodes left, in their best order."""

    def length(order):
        route = [current, *order, destination]
        return sum(float(matrix[x, y]) for x, y in zip(route, route[1:]))

    return int(min(permutations(left), key=length)[0])
