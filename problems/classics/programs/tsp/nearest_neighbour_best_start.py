"""Nearest neighbour from every node, the shortest of these tours."""


def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """The best start."""
    tours = [nearest(start, distances) for start in range(len(distances))]
    return min(
        tours,
        key=lambda nodes: sum(distances[a][b] for a, b in zip(nodes, nodes[1:] + nodes[:1], strict=True)),
    )


def nearest(start: int, distances: list[list[int]]) -> list[int]:
    """Always the nearest node that is left."""
    nodes, left = [start], set(range(len(distances))) - {start}
    while left:
        row = distances[nodes[-1]]
        nodes.append(min(left, key=row.__getitem__))
        left.remove(nodes[-1])
    return nodes
