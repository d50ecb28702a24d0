"""Copies of experts on GPUs: the objective, and moves that are rated by their increments."""


def objective(answer, loads, gpus, slots, groups, nodes):
    """Largest load of any GPU, tokens per step."""
    count = [0] * len(loads)
    for held in answer:
        for e in held:
            count[e] += 1
    if not all(count) or any(len(held) > slots for held in answer):
        return float("inf")
    return max(sum(loads[e] / count[e] for e in held) for held in answer)


class Neighbours:
    """Two copies exchange their GPUs, or a copy becomes one of another expert."""

    def __init__(self, answer, loads, gpus, slots, groups, nodes, guide):
        self.loads, self.gpus, self.guide = loads, gpus, guide
        self.plan = [list(held) for held in answer]
        self.size = sum(map(len, self.plan))
        self.holders = [[] for _ in loads]
        for g, held in enumerate(self.plan):
            for e in held:
                self.holders[e].append(g)
        self.part = [loads[e] / max(1, len(self.holders[e])) for e in range(len(loads))]
        self.load = [sum(self.part[e] for e in held) for held in self.plan]
        self.mean = sum(loads) / gpus
        self.terms = [guide(load / self.mean) for load in self.load]

    def draw(self, random):
        g = int(self.gpus * random())
        held = self.plan[g]
        if not held:
            return 0, None
        i = int(len(held) * random())
        e = held[i]
        if random() < 0.7:
            h = int(self.gpus * random())
            if g == h or not self.plan[h]:
                return 0, None
            j = int(len(self.plan[h]) * random())
            f = self.plan[h][j]
            more = self.part[f] - self.part[e]
            changes = {g: more, h: -more}
        else:
            h, j, f = -1, -1, int(len(self.loads) * random())
            count_e, count_f = len(self.holders[e]), len(self.holders[f])
            if e == f or count_e < 2:
                return 0, None
            part_e, part_f = self.loads[e] / (count_e - 1), self.loads[f] / (count_f + 1)
            changes = {g: part_f - part_e}
            for k in self.holders[e]:
                changes[k] = changes.get(k, 0) + part_e - self.part[e]
            for k in self.holders[f]:
                changes[k] = changes.get(k, 0) + part_f - self.part[f]
        change = 0
        after = []
        for k, more in changes.items():
            term = self.guide((self.load[k] + more) / self.mean)
            change += term - self.terms[k]
            after.append((k, self.load[k] + more, term))
        return change, (g, i, e, h, j, f, after)

    def make(self, move):
        g, i, e, h, j, f, after = move
        self.plan[g][i] = f
        self.holders[e].remove(g)
        self.holders[f].append(g)
        if h >= 0:
            self.plan[h][j] = e
            self.holders[f].remove(h)
            self.holders[e].append(h)
        else:
            self.part[e] = self.loads[e] / len(self.holders[e])
            self.part[f] = self.loads[f] / len(self.holders[f])
        for k, load, term in after:
            self.load[k], self.terms[k] = load, term

    def answer(self):
        return [held[:] for held in self.plan]
