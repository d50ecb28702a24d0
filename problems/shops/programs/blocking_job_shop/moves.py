"""Operations on machines without buffers: the makespan, and moves that take jobs out and bring them back."""


def objective(answer, machines, routes, times):
    """End of the last operation, time units; the moves keep to the constraints."""
    return max(starts[-1] + row[-1] for starts, row in zip(answer, times))


class Neighbours:
    """Some jobs leave, and come back one by one, each to where it ends first between the others."""

    def __init__(self, answer, machines, routes, times):
        self.machines, self.routes, self.times = machines, routes, times
        self.starts = [starts[:] for starts in answer]
        self.size = len(times)
        self.latest = sum(map(sum, times))
        self.value = objective(answer, machines, routes, times)

    def hold(self, rows, job, starts):
        route, times = self.routes[job], self.times[job]
        for place, machine in enumerate(route[:-1]):
            rows[machine].append((starts[place], starts[place + 1]))
        rows[route[-1]].append((starts[-1], starts[-1] + times[-1]))

    def back(self, rows, job):
        # The least start of an operation in each gap of its machine, and the place of the operation before:
        # starts grow from gap to gap, so the first place that fits is the best one.
        layers, earlier, before = [], [(0, float("inf"), 0)], 0
        for machine, length in zip(self.routes[job], self.times[job]):
            layer, begin = [], 0
            for held, free in [*sorted(rows[machine]), (float("inf"), 0)]:
                if begin + length <= held:
                    for number, (start, until, _) in enumerate(earlier):
                        start += before
                        if start < begin:
                            start = begin
                        if start <= until and start + length <= held:
                            layer.append((start, held, number))
                            break
                begin = free
            layers.append(layer)
            earlier, before = layer, length
        starts, number = [], 0
        for layer in reversed(layers):
            start, _, number = layer[number]
            starts.append(start)
        return starts[::-1]

    def draw(self, random):
        count = 1 + int(self.size * random())
        chosen = []
        for _ in range(count):
            job = int(self.size * random())
            if job not in chosen:
                chosen.append(job)
        rows = [[] for _ in range(self.machines)]
        value = 0
        for job, starts in enumerate(self.starts):
            if job not in chosen:
                self.hold(rows, job, starts)
                value = max(value, starts[-1] + self.times[job][-1])
        move = []
        for job in chosen:
            starts = self.back(rows, job)
            if starts[-1] > self.latest:
                return 0, None
            self.hold(rows, job, starts)
            value = max(value, starts[-1] + self.times[job][-1])
            move.append((job, starts))
        if all(self.starts[job] == starts for job, starts in move):
            return 0, None
        return value - self.value, (value, move)

    def make(self, move):
        self.value, jobs = move
        for job, starts in jobs:
            self.starts[job] = starts

    def answer(self):
        return [starts[:] for starts in self.starts]
