"""Items in a knapsack with several rows: the profit, and moves that keep every row within its capacity."""


def objective(answer, profits, weights, capacities):
    """Profit of the chosen items; worse than nothing where they do not fit."""
    for row, capacity in zip(weights, capacities):
        if sum([row[j] for j in answer]) > capacity:
            return float("-inf")
    return sum([profits[j] for j in answer])


class Neighbours:
    """An item comes in, goes out, or takes the place of another."""

    def __init__(self, answer, profits, weights, capacities):
        self.profits = profits
        self.columns = list(zip(*weights))
        self.inside = list(answer)
        chosen = set(answer)
        self.outside = [j for j in range(len(profits)) if j not in chosen]
        self.room = [b - sum([row[j] for j in answer]) for row, b in zip(weights, capacities)]
        self.size = len(profits)

    def draw(self, random):
        inside, outside, profits = self.inside, self.outside, self.profits
        form = random()
        if form < 0.1:
            if not inside:
                return (0, None)
            i = int(len(inside) * random())
            return (profits[inside[i]], (i, None))
        if not outside:
            return (0, None)
        k = int(len(outside) * random())
        new = self.columns[outside[k]]
        if form < 0.4 or not inside:
            for weight, free in zip(new, self.room):
                if weight > free:
                    return (0, None)
            return (-profits[outside[k]], (None, k))
        i = int(len(inside) * random())
        for weight, old, free in zip(new, self.columns[inside[i]], self.room):
            if weight - old > free:
                return (0, None)
        return (profits[inside[i]] - profits[outside[k]], (i, k))

    def make(self, move):
        i, k = move
        old = None if i is None else self.inside.pop(i)
        new = None if k is None else self.outside.pop(k)
        if old is not None:
            self.outside.append(old)
            self.room = [free + weight for free, weight in zip(self.room, self.columns[old])]
        if new is not None:
            self.inside.append(new)
            self.room = [free - weight for free, weight in zip(self.room, self.columns[new])]

    def answer(self):
        return self.inside[:]
