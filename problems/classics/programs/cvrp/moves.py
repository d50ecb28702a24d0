"""Routes from a depot: their length, and moves that bring near customers together, rated by increments."""


def objective(answer, coordinates, distances, demands, capacity):
    """Length of all routes; infinite where one holds too much."""
    length = 0
    for route in answer:
        if sum([demands[c] for c in route]) > capacity:
            return float("inf")
        last = 0
        for c in route:
            length += distances[last][c]
            last = c
        length += distances[last][0]
    return length


class Neighbours:
    """A customer moves beside a near one or goes alone, two change places, parts turn or change routes."""

    def __init__(self, answer, coordinates, distances, demands, capacity):
        self.distances = distances
        self.demands = demands
        self.capacity = capacity
        self.size = len(demands)
        customers = range(1, self.size)
        self.near = [sorted(customers, key=row.__getitem__)[:9] for row in distances]
        self.restart(answer)

    def restart(self, answer):
        """Goes on from another answer."""
        demands = self.demands
        self.routes = [list(route) for route in answer] + [[]]
        self.loads = [sum([demands[c] for c in route]) for route in self.routes]
        self.home = [0] * self.size
        for number, route in enumerate(self.routes):
            for c in route:
                self.home[c] = number

    def draw(self, random):
        routes, d, demands = self.routes, self.distances, self.demands
        if self.size < 2:
            return 0, None
        c = 1 + int((self.size - 1) * random())
        i = self.home[c]
        first = routes[i]
        a = first.index(c)
        before, after = (first[a - 1] if a else 0), (first[a + 1] if a + 1 < len(first) else 0)
        near = self.near[c]
        e = near[int(len(near) * random())]
        form = random()
        if e == c:
            # The route ends behind the customer, or the customer goes alone.
            if form < 0.5:
                return d[c][0] + d[0][after] - d[c][after], ("ends", i, a + 1, len(routes) - 1, 0)
            change = d[before][after] - d[before][c] - d[c][after]
            return change + d[0][c] + d[c][0], ("move", i, a, len(routes) - 1, 0)
        k = self.home[e]
        second = routes[k]
        b = second.index(e)
        p, q = (second[b - 1] if b else 0), (second[b + 1] if b + 1 < len(second) else 0)
        if i == k:
            if form < 0.5:
                # Both stand side by side after the part between them, with one of the two, has turned round.
                if a > b:
                    a, b, c, e, before, q = b, a, e, c, p, after
                if form < 0.25:
                    a += 1
                    if a == b:
                        return 0, None
                    return d[c][e] + d[first[a]][q] - d[c][first[a]] - d[e][q], ("turn", i, a, k, b)
                b -= 1
                if a == b:
                    return 0, None
                return d[before][first[b]] + d[c][e] - d[before][c] - d[first[b]][e], ("turn", i, a, k, b)
            change = d[before][after] - d[before][c] - d[c][after]
            if form < 0.75:
                if p == c:
                    return 0, None
                return change + d[p][c] + d[c][e] - d[p][e], ("shift", i, a, k, b - (a < b))
            if q == c:
                return 0, None
            return change + d[e][c] + d[c][q] - d[e][q], ("shift", i, a, k, b + (a > b))
        load = self.loads[k]
        if form < 0.4:
            if load + demands[c] > self.capacity:
                return 0, None
            change = d[before][after] - d[before][c] - d[c][after]
            if form < 0.2:
                return change + d[p][c] + d[c][e] - d[p][e], ("move", i, a, k, b)
            return change + d[e][c] + d[c][q] - d[e][q], ("move", i, a, k, b + 1)
        if form < 0.7:
            # The customer takes the place of one that stands beside the near one.
            b, z = (b - 1, p) if form < 0.55 else (b + 1, q)
            if not z:
                return 0, None
            more = demands[z] - demands[c]
            if self.loads[i] + more > self.capacity or load - more > self.capacity:
                return 0, None
            p, q = (second[b - 1] if b else 0), (second[b + 1] if b + 1 < len(second) else 0)
            change = d[before][z] + d[z][after] + d[p][c] + d[c][q]
            return change - d[before][c] - d[c][after] - d[p][z] - d[z][q], ("swap", i, a, k, b)
        # The near customer follows this one: the two routes exchange their ends.
        a += 1
        ends = sum([demands[x] for x in first[a:]]) - sum([demands[x] for x in second[b:]])
        if self.loads[i] - ends > self.capacity or load + ends > self.capacity:
            return 0, None
        return d[c][e] + d[p][after] - d[c][after] - d[p][e], ("ends", i, a, k, b)

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
        if i == k:
            return
        for number in (i, k):
            self.loads[number] = sum([self.demands[c] for c in self.routes[number]])
            for c in self.routes[number]:
                self.home[c] = number
        if self.routes[-1]:
            self.routes.append([])
            self.loads.append(0)

    def answer(self):
        return [route[:] for route in self.routes if route]
