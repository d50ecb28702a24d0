"""Slices on types of GPUs: the objective, and moves that are rated by their increments."""


def objective(answer, prices, loads, slices, capacity):
    """Price of the GPUs that the loads need, dollars per hour."""
    price = 0
    for t in range(len(prices)):
        load = sum(row[t] * loads[b][t] for b, row in enumerate(answer) if row[t])
        price += prices[t] * -(-load // capacity)
    return price / 10000


class Neighbours:
    """Slices of a bucket move to another type, or slices of two buckets exchange their types."""

    def __init__(self, answer, prices, loads, slices, capacity, guide):
        self.prices, self.loads, self.capacity, self.guide = prices, loads, capacity, guide
        self.rows = [list(row) for row in answer]
        self.size = len(slices) * len(prices)
        self.load = [
            sum(row[t] * loads[b][t] for b, row in enumerate(answer) if row[t]) for t in range(len(prices))
        ]
        self.terms = [guide(price, load / capacity) for price, load in zip(prices, self.load)]

    def draw(self, random):
        t, u = int(len(self.prices) * random()), int(len(self.prices) * random())
        a = int(len(self.rows) * random())
        b = int(len(self.rows) * random()) if random() < 0.5 else a
        there = self.loads[a][u]
        if t == u or there is None or not self.rows[a][t]:
            return 0, None
        many = 1 + int(self.rows[a][t] * random() ** 3)
        load_t, load_u = self.load[t] - many * self.loads[a][t], self.load[u] + many * there
        back = 0
        if a != b:
            here = self.loads[b][t]
            if here is None or not self.rows[b][u]:
                return 0, None
            back = 1 + int(self.rows[b][u] * random() ** 3)
            load_t, load_u = load_t + back * here, load_u - back * self.loads[b][u]
        term_t = self.guide(self.prices[t], load_t / self.capacity)
        term_u = self.guide(self.prices[u], load_u / self.capacity)
        change = term_t + term_u - self.terms[t] - self.terms[u]
        return change, (t, u, a, b, many, back, load_t, load_u, term_t, term_u)

    def make(self, move):
        t, u, a, b, many, back, self.load[t], self.load[u], self.terms[t], self.terms[u] = move
        self.rows[a][t] -= many
        self.rows[a][u] += many
        self.rows[b][u] -= back
        self.rows[b][t] += back

    def answer(self):
        return [row[:] for row in self.rows]
