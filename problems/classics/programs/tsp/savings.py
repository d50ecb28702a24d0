"""Savings (Clarke and Wright 1964): tours over node 0, joined where that saves most."""


def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """The order of the joined tours."""
    n = len(distances)
    home = distances[0]
    pairs = [(i, j) for i in range(1, n) for j in range(1, i)]
    pairs.sort(key=lambda pair: distances[pair[0]][pair[1]] - home[pair[0]] - home[pair[1]])
    pieces = {node: [node] for node in range(1, n)}
    for i, j in pairs:
        first, second = pieces[i], pieces[j]
        if first is second or i not in (first[0], first[-1]) or j not in (second[0], second[-1]):
            continue
        if first[-1] != i:
            first.reverse()
        if second[0] != j:
            second.reverse()
        first.extend(second)
        for node in second:
            pieces[node] = first
    return [0, *pieces[1]] if n > 1 else [0]
