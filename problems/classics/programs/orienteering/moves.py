"""Nodes on a tour of limited length: the prize, and moves that keep the length within its limit."""


def objective(answer, coordinates, distances, prizes, max_length):
    """Prize of the nodes; worse than nothing where the tour is too long."""
    length = here = 0
    for node in answer:
        length += distances[here][node]
        here = node
    if length + distances[here][0] > max_length:
        return float("-inf")
    return prizes[0] + sum([prizes[node] for node in answer])


class Neighbours:
    """A node comes in, goes out or takes the place of another, or a part of the tour is reversed."""

    def __init__(self, answer, coordinates, distances, prizes, max_length):
        self.distances = distances
        self.prizes = prizes
        self.stops = [0, *answer, 0]
        inside = set(answer)
        self.outside = [j for j in range(1, len(prizes)) if j not in inside]
        self.rest = max_length - sum([distances[a][b] for a, b in zip(self.stops, self.stops[1:])])
        self.size = len(prizes)

    def draw(self, random):
        stops, outside, distances, prizes = self.stops, self.outside, self.distances, self.prizes
        form, count = random(), len(self.stops)
        if form < 0.35:
            if not outside:
                return (0, None)
            k, i = int(len(outside) * random()), 1 + int((count - 1) * random())
            a, b, new = stops[i - 1], stops[i], outside[k]
            growth = distances[a][new] + distances[new][b] - distances[a][b]
            return (-prizes[new], ("in", i, k, growth)) if growth <= self.rest else (0, None)
        if count < 3:
            return (0, None)
        i = 1 + int((count - 2) * random())
        a, old, b = stops[i - 1], stops[i], stops[i + 1]
        if form < 0.45:
            growth = distances[a][b] - distances[a][old] - distances[old][b]
            return (prizes[old], ("out", i, 0, growth)) if growth <= self.rest else (0, None)
        if form < 0.75:
            if not outside:
                return (0, None)
            k = int(len(outside) * random())
            new = outside[k]
            growth = distances[a][new] + distances[new][b] - distances[a][old] - distances[old][b]
            return (prizes[old] - prizes[new], ("swap", i, k, growth)) if growth <= self.rest else (0, None)
        k = 1 + int((count - 2) * random())
        if k <= i:
            return (0, None)
        c, d = stops[k], stops[k + 1]
        growth = distances[a][c] + distances[old][d] - distances[a][old] - distances[c][d]
        return (0, ("turn", i, k, growth)) if growth <= self.rest else (0, None)

    def make(self, move):
        form, i, k, growth = move
        stops, outside = self.stops, self.outside
        self.rest -= growth
        if form == "in":
            stops.insert(i, outside.pop(k))
        elif form == "out":
            outside.append(stops.pop(i))
        elif form == "swap":
            stops[i], outside[k] = outside[k], stops[i]
        else:
            stops[i : k + 1] = stops[i : k + 1][::-1]

    def answer(self):
        return self.stops[1:-1]
