"""Operations on machines with buffers: the makespan, and moves in the order in which operations start."""


def objective(answer, machines, routes, times):
    """End of the last operation, time units; the moves keep to the constraints."""
    return max(starts[-1] + row[-1] for starts, row in zip(answer, times))


class Neighbours:
    """One operation moves, or two exchange their places; all start again as early as the order allows."""

    def __init__(self, answer, machines, routes, times):
        self.machines, self.times = machines, times
        self.steps = [list(zip(*row)) for row in zip(routes, times)]
        operations = [
            (start, start + times[j][k], j)
            for j, starts in enumerate(answer)
            for k, start in enumerate(starts)
        ]
        self.order = [j for _, _, j in sorted(operations)]
        self.size = len(self.order)
        self.value = self.build(self.order)

    def build(self, order):
        free, ready = [0] * self.machines, [0] * len(self.times)
        rest = [iter(row) for row in self.steps]
        for j in order:
            machine, time = next(rest[j])
            start = ready[j]
            if free[machine] > start:
                start = free[machine]
            ready[j] = free[machine] = start + time
        return max(ready)

    def draw(self, random):
        i, k = int(self.size * random()), int(self.size * random())
        if self.order[i] == self.order[k]:
            return 0, None
        order = self.order[:]
        if random() < 0.6:
            order.insert(k, order.pop(i))
        else:
            order[i], order[k] = order[k], order[i]
        value = self.build(order)
        return value - self.value, (value, order)

    def make(self, move):
        self.value, self.order = move

    def answer(self):
        free, ready = [0] * self.machines, [0] * len(self.times)
        starts = [[] for _ in self.times]
        for j in self.order:
            k = len(starts[j])
            machine, time = self.steps[j][k]
            start = max(ready[j], free[machine])
            starts[j].append(start)
            ready[j] = free[machine] = start + time
        return starts
