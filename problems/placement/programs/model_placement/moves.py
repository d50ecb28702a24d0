"""Models on GPUs: the objective, and moves that are rated by their increments."""


def objective(answer, gpus, memory, sizes, rates):
    """Largest pressure of any GPU, load units per free GB; infinite where a GPU has no free GB."""
    free, load = [memory] * gpus, [0] * gpus
    for i, g in enumerate(answer):
        free[g] -= sizes[i]
        load[g] += rates[i]
    return max(load[g] / free[g] for g in range(gpus)) if min(free) >= 1 else float("inf")


class Neighbours:
    """A model moves to another GPU, or two models exchange theirs."""

    def __init__(self, answer, gpus, memory, sizes, rates, guide):
        self.gpus, self.sizes, self.rates, self.guide = gpus, sizes, rates, guide
        self.size = len(sizes)
        self.gpu = list(answer)
        self.free, self.load = [memory] * gpus, [0] * gpus
        for i, g in enumerate(answer):
            self.free[g] -= sizes[i]
            self.load[g] += rates[i]
        self.even = sum(rates) / (gpus * memory - sum(sizes))
        self.terms = [guide(self.load[g] / self.free[g] / self.even) for g in range(gpus)]

    def draw(self, random):
        i, k = int(self.size * random()), -1
        a = self.gpu[i]
        if random() < 0.4:
            b = int(self.gpus * random())
            size, rate = self.sizes[i], self.rates[i]
        else:
            k = int(self.size * random())
            b = self.gpu[k]
            size, rate = self.sizes[i] - self.sizes[k], self.rates[i] - self.rates[k]
        free_a, free_b = self.free[a] + size, self.free[b] - size
        if a == b or free_a < 1 or free_b < 1:
            return 0, None
        load_a, load_b = self.load[a] - rate, self.load[b] + rate
        term_a = self.guide(load_a / free_a / self.even)
        term_b = self.guide(load_b / free_b / self.even)
        change = term_a + term_b - self.terms[a] - self.terms[b]
        return change, (i, k, a, b, free_a, free_b, load_a, load_b, term_a, term_b)

    def make(self, move):
        i, k, a, b, self.free[a], self.free[b], self.load[a], self.load[b], self.terms[a], self.terms[b] = (
            move
        )
        self.gpu[i] = b
        if k >= 0:
            self.gpu[k] = a

    def answer(self):
        return self.gpu[:]
