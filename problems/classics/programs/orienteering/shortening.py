"""2-opt on a tour from the depot; stands at the end of every program that shortens a tour."""


def shortened(nodes: list[int], distances: list[list[int]]) -> list[int]:
    """Reverses parts of the tour as long as that shortens the tour."""
    stops, better = [0, *nodes, 0], True
    while better:
        better = False
        for i in range(1, len(stops) - 2):
            for k in range(i + 1, len(stops) - 1):
                a, b, c, d = stops[i - 1], stops[i], stops[k], stops[k + 1]
                if distances[a][c] + distances[b][d] < distances[a][b] + distances[c][d]:
                    stops[i : k + 1] = stops[i : k + 1][::-1]
                    better = True
    return stops[1:-1]
