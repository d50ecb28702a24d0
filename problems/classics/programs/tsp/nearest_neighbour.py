"""Nearest neighbour from node 0."""


def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """Always the nearest node that is left."""
    nodes, left = [0], set(range(1, len(distances)))
    while left:
        row = distances[nodes[-1]]
        nodes.append(min(left, key=row.__getitem__))
        left.remove(nodes[-1])
    return nodes
