"""Largest prize for the way there (Tsiligirides 1984, doi:10.1057/jors.1984.162, without chance)."""


def tour(
    coordinates: list[list[int]], distances: list[list[int]], prizes: list[int], max_length: int
) -> list[int]:
    """Nodes one after the other, as long as the way back fits."""
    nodes, here, rest = list[int](), 0, max_length
    left = set(range(1, len(prizes)))
    while fits := [j for j in left if distances[here][j] + distances[j][0] <= rest]:
        node = max(fits, key=lambda j: prizes[j] / (1 + distances[here][j]))
        nodes.append(node)
        left.remove(node)
        rest -= distances[here][node]
        here = node
    return nodes
