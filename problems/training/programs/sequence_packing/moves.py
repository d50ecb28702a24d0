"""Sequences in groups of devices: the objective, and moves that are rated by the microbatches they change."""


def objective(answer, devices, capacity, overhead, degrees, lengths, times):
    """Time of the step: the overhead of each microbatch and its slowest group, units of 10 microseconds."""
    total = 0
    for microbatch in answer:
        slowest = 0
        for degree, members in microbatch:
            j = degrees.index(degree)
            if sum(lengths[k] for k in members) > degree * capacity or not all(times[k][j] for k in members):
                return float("inf")
            slowest = max(slowest, sum(times[k][j] for k in members))
        if sum(degree for degree, members in microbatch) > devices:
            return float("inf")
        total += overhead + slowest
    return total


class Neighbours:
    """Sequences change groups or places with others, open groups and microbatches; groups change degrees."""

    def __init__(self, answer, devices, capacity, overhead, degrees, lengths, times):
        self.devices, self.capacity, self.overhead = devices, capacity, overhead
        self.degrees, self.lengths, self.times = degrees, lengths, times
        self.step = [[(degrees.index(d), list(members)) for d, members in groups] for groups in answer]
        self.costs = [self.cost(groups) for groups in self.step]
        self.size = len(lengths)
        self.place = {}
        for m in range(len(self.step)):
            self.note(m)

    def note(self, m):
        """Writes down where the sequences of a microbatch are."""
        for g, (_, members) in enumerate(self.step[m]):
            for k in members:
                self.place[k] = (m, g)

    def cost(self, groups):
        """Time of a microbatch, 0 of an empty one, None if it takes more devices or memory than there are."""
        slowest = used = 0
        for j, members in groups:
            used += self.degrees[j]
            if sum(self.lengths[k] for k in members) > self.degrees[j] * self.capacity:
                return None
            parts = [self.times[k][j] for k in members]
            if not all(parts):
                return None
            slowest = max(slowest, sum(parts))
        if used > self.devices:
            return None
        return self.overhead + slowest if groups else 0

    def draw(self, random):
        k, other = int(self.size * random()), int(self.size * random())
        (m, g), (n, h) = self.place[k], self.place[other]
        new = {m: self.step[m][:], n: self.step[n][:]} if m != n else {m: self.step[m][:]}
        j, members = new[m][g]
        degree = int(len(self.degrees) * random())
        form = random()
        if form < 0.1:
            new[m][g] = (degree, members)
        else:
            new[m][g] = (j, [i for i in members if i != k])
            if form < 0.2:
                n = self.step.index([]) if [] in self.step else len(self.step)
                new[n] = [(degree, [k])]
            elif form < 0.4:
                new[n].append((degree, [k]))
            elif (m, g) == (self.place[other]):
                return 0, None
            elif form < 0.7:
                new[n][h] = (new[n][h][0], [*new[n][h][1], k])
            else:
                new[m][g][1].append(other)
                new[n][h] = (new[n][h][0], [k if i == other else i for i in new[n][h][1]])
        change = 0
        for i in new:
            new[i] = [group for group in new[i] if group[1]]
            cost = self.cost(new[i])
            if cost is None:
                return 0, None
            change += cost - (self.costs[i] if i < len(self.costs) else 0)
        return change, new

    def make(self, move):
        for m, groups in move.items():
            if m == len(self.step):
                self.step.append(groups)
                self.costs.append(0)
            self.step[m], self.costs[m] = groups, self.cost(groups)
        for m in move:
            self.note(m)

    def answer(self):
        return [[(self.degrees[j], list(members)) for j, members in groups] for groups in self.step if groups]
