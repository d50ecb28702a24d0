"""Insertion in the order of the nodes' numbers, each at its cheapest place."""


def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """Grows from node 0."""
    nodes = [0]
    for node in range(1, len(distances)):
        nodes.insert(cheapest(nodes, node, distances)[1], node)
    return nodes


def cheapest(nodes: list[int], node: int, distances: list[list[int]]) -> tuple[int, int]:
    """Least growth of the tour, and the place where the node makes it."""
    row = distances[node]
    return min(
        (row[nodes[k - 1]] + row[nodes[k]] - distances[nodes[k - 1]][nodes[k]], k) for k in range(len(nodes))
    )
