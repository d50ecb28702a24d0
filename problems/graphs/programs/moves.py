"""Task graphs: the makespan, and moves in the order of the tasks and between processors."""


def objective(answer, times, edges):
    """End of the last task, time units; the moves keep to the constraints."""
    return max(start + times[task][processor] for task, (processor, start) in enumerate(answer))


class Neighbours:
    """A task moves in the order or to another processor; all start again as early as the order allows."""

    def __init__(self, answer, times, edges):
        self.times = times
        self.before = [[] for _ in times]
        for i, k, size in edges:
            self.before[k].append((i, size))
        self.allowed = [[p for p, time in enumerate(row) if time is not None] for row in times]
        self.order = sorted(range(len(times)), key=lambda task: (answer[task][1], task))
        self.on = [processor for processor, _ in answer]
        self.size = len(times)
        self.value, self.starts = self.build(self.order, self.on)

    def build(self, order, on):
        times, before = self.times, self.before
        free = [0] * len(times[0])
        ends = [-1] * len(times)
        starts = [0] * len(times)
        last = 0
        for task in order:
            processor = on[task]
            start = free[processor]
            for i, size in before[task]:
                arrival = ends[i]
                if arrival < 0:
                    return None, None
                if on[i] != processor:
                    arrival += size
                if arrival > start:
                    start = arrival
            starts[task] = start
            ends[task] = free[processor] = end = start + times[task][processor]
            if end > last:
                last = end
        return last, starts

    def draw(self, random):
        order, on = self.order, self.on
        place = int(self.size * random())
        task = order[place]
        chance = random()
        if chance < 0.7:
            allowed = self.allowed[task]
            on = on[:]
            on[task] = allowed[int(len(allowed) * random())]
        if chance > 0.4:
            order = order[:]
            order.insert(int(self.size * random()), order.pop(place))
        value, starts = self.build(order, on)
        if value is None:
            return 0, None
        return value - self.value, (value, starts, order, on)

    def make(self, move):
        self.value, self.starts, self.order, self.on = move

    def answer(self):
        return [[processor, start] for processor, start in zip(self.on, self.starts)]
