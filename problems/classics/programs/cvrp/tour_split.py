"""Route first, cluster second (Beasley 1983): one tour by farthest insertion and 2-opt, split at best."""


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """The shortest routes that have the customers in the order of the tour."""
    order = tour(distances)
    least, first = [0.0], [0]
    for end in range(1, len(order) + 1):
        best, place, load, inside = float("inf"), 0, 0, 0
        for start in range(end - 1, -1, -1):
            load += demands[order[start]]
            if load > capacity:
                break
            inside += distances[order[start]][order[start + 1]] if start + 1 < end else 0
            value = least[start] + distances[0][order[start]] + inside + distances[order[end - 1]][0]
            best, place = min((best, place), (value, start))
        least.append(best)
        first.append(place)
    made, end = [], len(order)
    while end:
        made.append(order[first[end] : end])
        end = first[end]
    return made


def tour(distances: list[list[int]]) -> list[int]:
    """All customers in the order of a tour from the depot."""
    nodes, away = [0], list(distances[0])
    left = set(range(1, len(distances)))
    while left:
        node = max(left, key=away.__getitem__)
        left.remove(node)
        growth = [
            (distances[nodes[k - 1]][node] + distances[node][b] - distances[nodes[k - 1]][b], k)
            for k, b in enumerate(nodes)
        ]
        nodes.insert(min(growth)[1], node)
        away = list(map(min, away, distances[node]))
    better = True
    while better:
        better = False
        for i in range(len(nodes) - 1):
            for k in range(i + 1, len(nodes)):
                a, b, c, d = nodes[i - 1], nodes[i], nodes[k], nodes[(k + 1) % len(nodes)]
                if a != c and distances[a][c] + distances[b][d] < distances[a][b] + distances[c][d]:
                    nodes[i : k + 1] = nodes[i : k + 1][::-1]
                    better = True
    depot = nodes.index(0)
    return nodes[depot + 1 :] + nodes[:depot]
