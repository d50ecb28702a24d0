"""Greedy edges: the shortest edge that makes neither a branch nor a circle, again and again."""


def tour(coordinates: list[list[int]], distances: list[list[int]]) -> list[int]:
    """The path of the edges, closed."""
    n = len(distances)
    edges = sorted(((i, j) for i in range(n) for j in range(i)), key=lambda edge: distances[edge[0]][edge[1]])
    return path(n, edges)


def path(n: int, edges: list[tuple[int, int]]) -> list[int]:
    """Takes edges in their order where they join the ends of two paths, until one path is left."""
    pieces = {node: [node] for node in range(n)}
    for i, j in edges:
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
    return pieces[0]
