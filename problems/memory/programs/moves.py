"""Buffers in memory: the peak, and moves in the order in which buffers are stacked."""


def objective(answer, buffers):
    """Largest end of a buffer in memory, units; the moves keep buffers apart."""
    return max(offset + row[2] for offset, row in zip(answer, buffers))


class Neighbours:
    """One buffer moves in the order, or two exchange their places; each stands on those before it.

    The tops of all sections of time go through `guide`, as shares of the largest load.
    """

    def __init__(self, answer, buffers, guide):
        self.guide = guide
        steps = sorted({start for start, _, _ in buffers})
        place = {step: k for k, step in enumerate(steps)}
        self.rows = []
        loads = [0] * len(steps)
        for start, end, size in buffers:
            first = last = place[start]
            while last < len(steps) and steps[last] < end:
                loads[last] += size
                last += 1
            self.rows.append((first, last, size))
        self.load = max(loads)
        self.sections = len(steps)
        self.size = len(buffers)
        self.order = sorted(range(self.size), key=lambda i: answer[i])
        self.terms, self.offsets = self.build(self.order)
        self.value = sum(self.terms)

    def build(self, order):
        tops = [0] * self.sections
        offsets = [0] * self.size
        for i in order:
            first, last, size = self.rows[i]
            offset = max(tops[first:last])
            offsets[i] = offset
            tops[first:last] = [offset + size] * (last - first)
        return [self.guide(top / self.load) for top in tops], offsets

    def draw(self, random):
        i, k = int(self.size * random()), int(self.size * random())
        if i == k:
            return 0, None
        order = self.order[:]
        if random() < 0.6:
            order.insert(k, order.pop(i))
        else:
            order[i], order[k] = order[k], order[i]
        terms, offsets = self.build(order)
        return sum(terms) - self.value, (terms, offsets, order)

    def make(self, move):
        self.terms, self.offsets, self.order = move
        self.value = sum(self.terms)

    def answer(self):
        return self.offsets[:]
