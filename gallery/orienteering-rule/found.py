"""Beam over labels with a knapsack estimate of the rest; the best closed paths are polished as whole tours."""

import numpy as np

WIDTH = 114           # labels kept in each layer at FULL nodes
FULL = 35
MAX_WIDTH = 250      # labels kept when few nodes are left
WIDER = 4            # labels that get the knapsack estimate, in widths
COST = 1.036          # cost of a node in the knapsack, in half sums of its two shortest edges
BLEND = 0.6056          # weight of the knapsack estimate
PATHS = 16           # closed paths that are polished
ROUNDS = 2           # rounds of ruin and recreate of these
RUIN = 0.35          # largest part of a path that is taken out
NOISE = 0.3          # spread of the random factors in the insertion
SEED = 2


def select_next_node(
    current_node: int,
    depot: int,
    unvisited_nodes: np.ndarray,
    rest_length: float,
    prizes: np.ndarray,
    distance_matrix: np.ndarray,
) -> int:
    """The first node of the best path that the beam finds."""
    nodes = np.asarray(unvisited_nodes)
    m = len(nodes)
    if m == 1:
        return int(nodes[0])
    width = int(min(MAX_WIDTH, max(20, WIDTH * (FULL / m) ** 2)))
    rest = float(rest_length) + 1e-9
    prize = np.asarray(prizes, dtype=float)[nodes]
    dist = np.ascontiguousarray(distance_matrix[np.ix_(nodes, nodes)], dtype=float)
    go = np.asarray(distance_matrix[current_node, nodes], dtype=float)
    back = np.asarray(distance_matrix[nodes, depot], dtype=float)
    # cost of a node: half of its two shortest edges
    wide = np.concatenate((dist + np.diag(np.full(m, 1e15)), back[:, None], go[:, None]), axis=1)
    two = np.partition(wide, 1, axis=1)[:, :2]
    cost = COST * 0.5 * two.sum(axis=1) + 1e-6
    ratio = np.argsort(-prize / cost, kind="stable")
    sorted_prize, sorted_cost = prize[ratio], cost[ratio]
    code = np.random.RandomState(SEED).randint(1, 2 ** 62, size=m)
    ends = np.random.RandomState(SEED + 1).randint(1, 2 ** 62, size=m)

    def estimate(free, room):
        """Prize of a fractional knapsack of the free nodes."""
        some = free[:, ratio]
        price = np.where(some, sorted_cost, 0.0)
        before = np.cumsum(price, axis=1) - price
        part = np.clip((room[:, None] - before) / sorted_cost, 0.0, 1.0)
        return (part * np.where(some, sorted_prize, 0.0)).sum(axis=1)

    # first layer
    last = np.arange(m)
    length = go.copy()
    gain = prize.copy()
    seen = np.eye(m, dtype=bool)
    mark = code.copy()
    history = [(np.zeros(m, dtype=np.int64), last)]
    closed = [(gain, length + back)]
    density = prize.sum() / cost.sum()
    for _ in range(m - 1):
        step = length[:, None] + dist[last]
        fits = ~seen & (step + back[None, :] <= rest)
        label, node = np.nonzero(fits)
        if len(label) == 0:
            break
        new_length = step[label, node]
        new_gain = gain[label] + prize[node]
        rough = new_gain + density * (rest - new_length - 0.5 * back[node])
        new_mark = mark[label] + code[node]
        order = np.argsort(-rough, kind="stable")[: width * WIDER * 2]
        _, unique = np.unique(new_mark[order] ^ ends[node[order]], return_index=True)
        # of equal sets and ends the first is the one with the shortest path
        keep = order[np.sort(unique)][: width * WIDER]
        label, node, new_length, new_gain = label[keep], node[keep], new_length[keep], new_gain[keep]
        new_seen = seen[label]
        new_seen[np.arange(len(label)), node] = True
        reach = ~new_seen & (new_length[:, None] + dist[node] + back[None, :] <= rest)
        room = rest - new_length - 0.5 * back[node]
        value = new_gain + BLEND * estimate(reach, room)
        order = np.argsort(-value, kind="stable")
        keep = order[:width]
        gain, length, last = new_gain[keep], new_length[keep], node[keep]
        seen = new_seen[keep]
        mark = mark[label[keep]] + code[last]
        history.append((label[keep], last))
        closed.append((gain, length + back[last]))
    # the best closed paths of all layers
    layer = np.concatenate([np.full(len(g), k) for k, (g, _) in enumerate(closed)])
    index = np.concatenate([np.arange(len(g)) for g, _ in closed])
    total = np.concatenate([l for _, l in closed])
    value = np.concatenate([g for g, _ in closed]) - 1e-3 * total / rest
    chosen = np.argsort(-value, kind="stable")[:PATHS]
    tours = []
    for c in chosen:
        at, path = int(index[c]), []
        for k in range(int(layer[c]), -1, -1):
            parent, node = history[k]
            path.append(int(node[at]) + 2)
            at = int(parent[at])
        tours.append(path[::-1])
    everything = np.zeros((m + 2, m + 2))
    everything[2:, 2:] = dist
    everything[0, 2:] = everything[2:, 0] = go
    everything[1, 2:] = everything[2:, 1] = back
    everything[0, 1] = everything[1, 0] = distance_matrix[current_node, depot]
    return int(nodes[polish(tours, everything, np.concatenate(([0.0, 0.0], prize)), rest) - 2])


def polish(tours, dist, prize, rest):
    """First node of the best tour after 2-opt, insertion, and some ruin and recreate. Ends are 0 and 1."""
    rng = np.random.RandomState(SEED)
    p, size = len(tours), len(prize)
    width = size + 1
    rows, columns = np.arange(p), np.arange(width)
    paths = np.ones((p, width), dtype=np.int64)
    paths[:, 0] = 0
    count = np.array([len(t) for t in tours])
    for k, tour in enumerate(tours):
        paths[k, 1 : len(tour) + 1] = tour

    def shorter(paths, count, times):
        """The best reversal of each path, some times."""
        for _ in range(times):
            k = int(count.max()) + 2
            part = paths[:, :k]
            full = dist[part[:, :, None], part[:, None, :]]
            edge = dist[part[:, :-1], part[:, 1:]]
            profit = edge[:, :, None] + edge[:, None, :] - full[:, :-1, :-1] - full[:, 1:, 1:]
            position = columns[: k - 1]
            allowed = (position[:, None] < position)[None] & (position <= count[:, None])[:, None, :]
            profit = np.where(allowed, profit, 0.0).reshape(p, -1)
            top = profit.argmax(axis=1)
            good = profit[rows, top] > 1e-7
            if not good.any():
                break
            i, j = top // (k - 1), top % (k - 1)
            inner = good[:, None] & (columns >= (i + 1)[:, None]) & (columns <= j[:, None])
            paths = np.take_along_axis(paths, np.where(inner, (i + 1 + j)[:, None] - columns, columns), axis=1)
        return paths

    def fill(paths, count, worth):
        """Inserts nodes while one fits."""
        inside = np.zeros((p, size), dtype=bool)
        inside[rows[:, None], paths] = True
        inside[:, :2] = True
        length = dist[paths[:, :-1], paths[:, 1:]].sum(axis=1)
        while True:
            k = int(count.max()) + 2
            around = dist[paths[:, :k]]
            edge = dist[paths[:, : k - 1], paths[:, 1:k]]
            edge = np.where(columns[: k - 1] <= count[:, None], edge, -1e15)
            delta = around[:, :-1] + around[:, 1:] - edge[:, :, None]
            place = delta.argmin(axis=1)
            extra = np.take_along_axis(delta, place[:, None, :], axis=1)[:, 0, :]
            fits = ~inside & (length[:, None] + extra <= rest)
            score = np.where(fits, worth / (np.maximum(extra, 0.0) + 1.0), -1.0)
            node = score.argmax(axis=1)
            ok = score[rows, node] >= 0.0
            if not ok.any():
                return paths, count, inside[:, 2:] @ prize[2:] - 1e-3 * length / rest
            at = (place[rows, node] + 1)[:, None]
            shifted = np.concatenate((paths[:, :1], paths[:, :-1]), axis=1)
            new = np.where(columns < at, paths, np.where(columns == at, node[:, None], shifted))
            paths = np.where(ok[:, None], new, paths)
            count = count + ok
            inside[rows[ok], node[ok]] = True
            length = np.where(ok, length + extra[rows, node], length)

    paths = shorter(paths, count, 4)
    paths, count, value = fill(paths, count, np.tile(prize, (p, 1)))
    best, tour = float(value.max()), paths[int(value.argmax())]
    for _ in range(ROUNDS):
        cut = 1 + (rng.random_sample(p) * np.maximum(RUIN * count, 1.0)).astype(np.int64)
        cut = np.minimum(cut, count)
        begin = 1 + (rng.random_sample(p) * (count - cut + 1)).astype(np.int64)
        source = np.where(columns >= begin[:, None], columns + cut[:, None], columns)
        new = np.take_along_axis(paths, np.minimum(source, width - 1), axis=1)
        worth = prize * np.exp(NOISE * rng.standard_normal((p, size)))
        new, fresh, new_value = fill(new, count - cut, worth)
        new = shorter(new, fresh, 2)
        new, fresh, new_value = fill(new, fresh, worth)
        take = new_value >= value
        paths = np.where(take[:, None], new, paths)
        count = np.where(take, fresh, count)
        value = np.where(take, new_value, value)
        if value.max() > best:
            best, tour = float(value.max()), paths[int(value.argmax())]
    return int(tour[1])
