"""Samples in microbatches of a pipeline: the objective, and moves of samples and of whole microbatches."""


def objective(answer, stages, capacity, tile, times, samples):
    """Ticks until the last backward pass leaves stage 0, under 1F1B with the fewest empty places."""
    forward, backward, last = [], [], {}
    for microbatch in answer:
        tokens, batches = {}, {}
        for i in microbatch:
            adapter, batch, length = samples[i]
            tokens[adapter] = tokens.get(adapter, 0) + length
            if batches.setdefault(adapter, batch) != batch:
                return float("inf")
        tiles = sum(-(-total // tile) for total in tokens.values())
        earliest = len(forward)
        for adapter, batch in batches.items():
            previous, place = last.get(adapter, (batch, 0))
            if batch < previous:
                return float("inf")
            if batch > previous:
                earliest = max(earliest, place + stages)
        if tiles * tile > capacity:
            return float("inf")
        empty = [0] * (earliest - len(forward))
        forward += [*empty, times[0] + times[1] * tiles]
        backward += [*empty, times[2] + times[3] * tiles]
        for adapter, batch in batches.items():
            last[adapter] = (batch, earliest)
    return makespan(stages, forward, backward)


def makespan(stages, forward, backward):
    """Ticks of a pipeline: stage s does stages - s - 1 forward passes, then one backward, one forward."""
    length = len(forward)
    free = [0] * stages
    ends = [[0] * length for _ in range(stages)]
    for step in range(length + stages - 1):
        arrival = 0
        for s in range(stages):
            if step < length:
                free[s] = arrival = max(free[s], arrival) + forward[step]
            back = step - (stages - s - 1)
            if 0 <= back < length:
                begin = max(free[s], ends[s + 1][back] if s + 1 < stages else 0)
                free[s] = ends[s][back] = begin + backward[back]
    return free[0]


class Neighbours:
    """Samples change microbatches or places with others; microbatches move, join, and lose a sample."""

    def __init__(self, answer, stages, capacity, tile, times, samples):
        self.arguments = (stages, capacity, tile, times, samples)
        self.current = [list(microbatch) for microbatch in answer]
        self.value = objective(self.current, *self.arguments)
        self.size = len(self.current)

    def draw(self, random):
        new = self.current[:]
        m, n = int(len(new) * random()), int(len(new) * random())
        a, b = int(len(new[m]) * random()), int(len(new[n]) * random())
        form = random()
        if form < 0.25:
            new.insert(n, new.pop(m))
        elif form < 0.4:
            new[m] = [i for i in new[m] if i != self.current[m][a]]
            new.insert(n, [self.current[m][a]])
        elif m == n:
            return 0, None
        elif form < 0.7:
            new[n] = [*new[n], new[m][a]]
            new[m] = [i for i in new[m] if i != self.current[m][a]]
        elif form < 0.95:
            new[m] = [self.current[n][b] if i == self.current[m][a] else i for i in new[m]]
            new[n] = [self.current[m][a] if i == self.current[n][b] else i for i in new[n]]
        else:
            new[n] = new[n] + new[m]
            new[m] = []
        new = [microbatch for microbatch in new if microbatch]
        value = objective(new, *self.arguments)
        return (value - self.value, (value, new)) if value < float("inf") else (0, None)

    def make(self, move):
        self.value, self.current = move

    def answer(self):
        return [microbatch[:] for microbatch in self.current]
