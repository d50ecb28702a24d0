"""Items in bins: the objective, and moves that are rated by their increments."""


def objective(answer, sizes, capacity):
    """Number of bins; infinite where a bin is too full."""
    load = {}
    for size, b in zip(sizes, answer):
        load[b] = load.get(b, 0) + size
    return len(load) if max(load.values()) <= capacity else float("inf")


class Neighbours:
    """An item moves to another bin, or two items exchange their bins."""

    def __init__(self, answer, sizes, capacity, guide):
        self.sizes, self.capacity, self.guide = sizes, capacity, guide
        self.size = len(sizes)
        names = {b: number for number, b in enumerate(dict.fromkeys(answer))}
        self.bin = [names[b] for b in answer]
        self.load = [0] * len(names)
        for size, b in zip(sizes, self.bin):
            self.load[b] += size
        self.terms = [guide(load / capacity) for load in self.load]

    def draw(self, random):
        i, k = int(self.size * random()), int(self.size * random())
        a, b = self.bin[i], self.bin[k]
        more = self.sizes[i]
        if random() < 0.5:
            more -= self.sizes[k]
        else:
            k = -1
        load_a, load_b = self.load[a] - more, self.load[b] + more
        if a == b or not more or load_b > self.capacity or load_a > self.capacity:
            return 0, None
        term_a, term_b = self.guide(load_a / self.capacity), self.guide(load_b / self.capacity)
        change = term_a + term_b - self.terms[a] - self.terms[b]
        return change, (i, k, a, b, load_a, load_b, term_a, term_b)

    def make(self, move):
        i, k, a, b, self.load[a], self.load[b], self.terms[a], self.terms[b] = move
        self.bin[i] = b
        if k >= 0:
            self.bin[k] = a

    def answer(self):
        return self.bin[:]
