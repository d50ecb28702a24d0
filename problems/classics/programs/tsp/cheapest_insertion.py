"""Cheapest insertion: the node that lengthens the tour least, at its place (Rosenkrantz 1977)."""


def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """Grows from node 0; each node left keeps its cheapest place, the node behind which it would go."""
    following = {0: 0}
    cheapest = {node: (2 * distances[0][node], 0) for node in range(1, len(distances))}
    while cheapest:
        node = min(cheapest, key=cheapest.__getitem__)
        before = cheapest.pop(node)[1]
        following[before], following[node] = node, following[before]
        for other, known in cheapest.items():
            row = distances[other]
            places = following if known[1] == before else (before, node)
            new = min((row[p] + row[following[p]] - distances[p][following[p]], p) for p in places)
            cheapest[other] = new if known[1] == before else min(known, new)
    nodes = [0]
    while following[nodes[-1]]:
        nodes.append(following[nodes[-1]])
    return nodes
