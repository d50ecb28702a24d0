"""Routes from a depot: their length, and moves that are rated by their increments."""


def objective(answer, coordinates, distances, demands, capacity):
    """Length of all routes; infinite where one holds too much."""
    if any(sum(demands[c] for c in route) > capacity for route in answer):
        return float("inf")
    return sum(distances[a][b] for route in answer for a, b in zip([0, *route], [*route, 0]))


class Neighbours:
    """A customer moves, two exchange their places, a part turns round, or two routes exchange their ends."""

    def __init__(self, answer, coordinates, distances, demands, capacity):
        self.distances = distances
        self.demands = demands
        self.capacity = capacity
        self.routes = [list(route) for route in answer] + [[]]
        self.loads = [sum(demands[c] for c in route) for route in self.routes]
        self.size = len(demands)

    def draw(self, random):
        routes, d, demands = self.routes, self.distances, self.demands
        i, k = int(len(routes) * random()), int(len(routes) * random())
        first, second = routes[i], routes[k]
        a, b = int(len(first) * random()), int((len(second) + (i != k)) * random())
        if not first or (i == k and a == b):
            return 0, None
        c = first[a]
        before, after = (first[a - 1] if a else 0), (first[a + 1] if a + 1 < len(first) else 0)
        if i == k:
            if a > b:
                return 0, None
            e = first[b]
            behind = first[b + 1] if b + 1 < len(first) else 0
            if random() < 0.5:
                change = d[before][e] + d[c][behind] - d[before][c] - d[e][behind]
                return change, ("turn", i, a, k, b)
            change = d[before][after] + d[e][c] + d[c][behind]
            return change - d[before][c] - d[c][after] - d[e][behind], ("shift", i, a, k, b)
        p, q = (second[b - 1] if b else 0), (second[b] if b < len(second) else 0)
        form = random()
        if form < 0.4 or not second:
            if self.loads[k] + demands[c] > self.capacity:
                return 0, None
            change = d[before][after] + d[p][c] + d[c][q]
            return change - d[before][c] - d[c][after] - d[p][q], ("move", i, a, k, b)
        if form < 0.7 and b < len(second):
            more = demands[q] - demands[c]
            if self.loads[i] + more > self.capacity or self.loads[k] - more > self.capacity:
                return 0, None
            z = second[b + 1] if b + 1 < len(second) else 0
            change = d[before][q] + d[q][after] + d[p][c] + d[c][z]
            return change - d[before][c] - d[c][after] - d[p][q] - d[q][z], ("swap", i, a, k, b)
        ends = sum(demands[x] for x in first[a:]) - sum(demands[x] for x in second[b:])
        if self.loads[i] - ends > self.capacity or self.loads[k] + ends > self.capacity:
            return 0, None
        return d[before][q] + d[p][c] - d[before][c] - d[p][q], ("ends", i, a, k, b)

    def make(self, move):
        form, i, a, k, b = move
        first, second = self.routes[i], self.routes[k]
        if form == "turn":
            first[a : b + 1] = first[a : b + 1][::-1]
        elif form == "shift":
            first.insert(b, first.pop(a))
        elif form == "move":
            second.insert(b, first.pop(a))
        elif form == "swap":
            first[a], second[b] = second[b], first[a]
        else:
            first[a:], second[b:] = second[b:], first[a:]
        for number in (i, k):
            self.loads[number] = sum(self.demands[c] for c in self.routes[number])
        if self.routes[-1]:
            self.routes.append([])
            self.loads.append(0)

    def answer(self):
        return [route[:] for route in self.routes if route]
