"""Nearest insertion: the node nearest to the tour goes to its cheapest place (Rosenkrantz 1977)."""


def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """Grows from node 0."""
    nodes, away = [0], list(distances[0])
    left = set(range(1, len(distances)))
    while left:
        node = min(left, key=away.__getitem__)
        left.remove(node)
        nodes.insert(cheapest(nodes, node, distances)[1], node)
        away = list(map(min, away, distances[node]))
    return nodes


def cheapest(nodes: list[int], node: int, distances: list[list[int]]) -> tuple[int, int]:
    """Least growth of the tour, and the place where the node makes it."""
    row = distances[node]
    return min(
        (row[nodes[k - 1]] + row[nodes[k]] - distances[nodes[k - 1]][nodes[k]], k) for k in range(len(nodes))
    )
