"""Jobs in one order on all machines: the makespan, and moves that are rated from heads and tails."""


def objective(answer, times):
    """Makespan, time units."""
    ends = [0] * len(times[0])
    for j in answer:
        end = 0
        for machine, time in enumerate(times[j]):
            if ends[machine] > end:
                end = ends[machine]
            end += time
            ends[machine] = end
    return end


class Neighbours:
    """Insertions, exchanges and reversals; only the part of the order that changes is worked out anew."""

    def __init__(self, answer, times):
        self.forwards = times
        self.backwards = [row[::-1] for row in times]
        self.order = list(answer)
        self.size = len(self.order)
        self.value = objective(self.order, times)
        # Heads are ends on all machines before a place, tails (last machine first) the work from a place on.
        nothing = [0] * len(times[0])
        self.heads = [nothing]
        self.tails = [nothing]

    def draw(self, random):
        form = random()
        i = int(self.size * random())
        k = int(self.size * random())
        if i == k:
            return 0, None
        first, last = (i, k) if i < k else (k, i)
        part = self.order[first : last + 1]
        if form < 0.45:
            part = part[1:] + part[:1] if i < k else part[-1:] + part[:-1]
        elif form < 0.75:
            part[0], part[-1] = part[-1], part[0]
        else:
            part.reverse()
        while len(self.heads) <= first:
            self.append(self.heads, self.forwards[self.order[len(self.heads) - 1]])
        behind = self.size - 1 - last
        while len(self.tails) <= behind:
            self.append(self.tails, self.backwards[self.order[-len(self.tails)]])
        ends = self.heads[first][:]
        times = self.forwards
        for j in part:
            end = 0
            for machine, time in enumerate(times[j]):
                if ends[machine] > end:
                    end = ends[machine]
                end += time
                ends[machine] = end
        span = 0
        for end, rest in zip(ends, self.tails[behind][::-1]):
            if end + rest > span:
                span = end + rest
        return span - self.value, (span, first, last, part)

    def append(self, rows, times):
        """Adds the ends on all machines when one more job comes behind those with the last ends."""
        made = []
        end = 0
        for before, time in zip(rows[-1], times):
            if before > end:
                end = before
            end += time
            made.append(end)
        rows.append(made)

    def make(self, move):
        self.value, first, last, part = move
        self.order[first : last + 1] = part
        del self.heads[first + 1 :]
        del self.tails[self.size - last :]

    def answer(self):
        return self.order[:]
