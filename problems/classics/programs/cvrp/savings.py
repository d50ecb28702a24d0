"""Parallel savings (Clarke and Wright 1964): one route each, ends joined where that saves most."""


def routes(
    coordinates: list[list[int]], distances: list[list[int]], demands: list[int], capacity: int
) -> list[list[int]]:
    """The joined routes."""
    return joined(distances, demands, capacity, 1.0)


def joined(distances: list[list[int]], demands: list[int], capacity: int, shape: float) -> list[list[int]]:
    """Routes by savings d(0, i) + d(0, j) − shape · d(i, j), the largest first, all above 0."""
    home = distances[0]
    pieces = {customer: [customer] for customer in range(1, len(demands))}
    savings = {(i, j): home[i] + home[j] - shape * distances[i][j] for i in pieces for j in range(1, i)}
    for i, j in sorted(savings, key=lambda pair: -savings[pair]):
        first, second = pieces[i], pieces[j]
        if first is second or i not in (first[0], first[-1]) or j not in (second[0], second[-1]):
            continue
        load = sum(demands[customer] for customer in first + second)
        if load > capacity or savings[i, j] <= 0:
            continue
        if first[-1] != i:
            first.reverse()
        if second[0] != j:
            second.reverse()
        first.extend(second)
        for customer in second:
            pieces[customer] = first
    return list({id(route): route for route in pieces.values()}.values())
