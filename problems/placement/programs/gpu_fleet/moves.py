"""Slices on rented GPUs: the objective, and moves that are rated by their increments."""


def objective(answer, prices, loads, slices, capacity):
    """Price of all GPUs, dollars per hour; the moves keep to the constraints."""
    return sum(prices[t] for t, _ in answer) / 10000


class Neighbours:
    """A slice moves, two slices exchange their GPUs, or a GPU becomes one of another type."""

    def __init__(self, answer, prices, loads, slices, capacity, guide):
        self.prices, self.loads, self.capacity, self.guide = prices, loads, capacity, guide
        self.size = sum(slices)
        spare = [(t, []) for t in range(len(prices))]
        self.kinds = [t for t, _ in [*answer, *spare]]
        self.held = [list(held) for _, held in [*answer, *spare]]
        self.used = [sum(loads[b][t] for b in held) for t, held in zip(self.kinds, self.held)]
        self.terms = [self.term(t, used) for t, used in zip(self.kinds, self.used)]

    def term(self, kind, used):
        return self.guide(self.prices[kind], used / self.capacity)

    def draw(self, random):
        g = int(len(self.kinds) * random())
        held, kind = self.held[g], self.kinds[g]
        if not held:
            return 0, None
        form = random()
        if form < 0.1:
            other = int(len(self.prices) * random())
            sizes = [self.loads[b][other] for b in held]
            if other == kind or None in sizes or sum(sizes) > self.capacity:
                return 0, None
            term = self.term(other, sum(sizes))
            return term - self.terms[g], (g, other, sum(sizes), term)
        h = int(len(self.kinds) * random())
        i, j = int(len(held) * random()), -1
        a, there = held[i], self.loads[held[i]][self.kinds[h]]
        if g == h or there is None:
            return 0, None
        used_g, used_h = self.used[g] - self.loads[a][kind], self.used[h] + there
        if form > 0.5:
            if not self.held[h]:
                return 0, None
            j = int(len(self.held[h]) * random())
            b = self.held[h][j]
            here = self.loads[b][kind]
            if here is None or a == b:
                return 0, None
            used_g, used_h = used_g + here, used_h - self.loads[b][self.kinds[h]]
        if used_g > self.capacity or used_h > self.capacity:
            return 0, None
        term_g, term_h = self.term(kind, used_g), self.term(self.kinds[h], used_h)
        change = term_g + term_h - self.terms[g] - self.terms[h]
        return change, (g, h, i, j, used_g, used_h, term_g, term_h)

    def make(self, move):
        if len(move) == 4:
            g, self.kinds[g], self.used[g], self.terms[g] = move
            return
        g, h, i, j, self.used[g], self.used[h], self.terms[g], self.terms[h] = move
        here, there = self.held[g], self.held[h]
        if j >= 0:
            here[i], there[j] = there[j], here[i]
            return
        if not there:
            self.add(self.kinds[h])
        there.append(here.pop(i))
        if not here and self.spare(self.kinds[g]) > 1:
            for column in (self.kinds, self.held, self.used, self.terms):
                column[g] = column[-1]
                column.pop()

    def add(self, kind):
        self.kinds.append(kind)
        self.held.append([])
        self.used.append(0)
        self.terms.append(self.term(kind, 0))

    def spare(self, kind):
        return sum(t == kind and not held for t, held in zip(self.kinds, self.held))

    def answer(self):
        return [(t, held[:]) for t, held in zip(self.kinds, self.held) if held]
