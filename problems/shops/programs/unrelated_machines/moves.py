"""Jobs on machines with setups: the makespan, and moves whose ends are worked out from what changes."""


def objective(answer, times, setups):
    """End of the busiest machine, time units."""
    longest = 0
    for jobs, time, between in zip(answer, times, setups):
        end = 0
        last = None
        for k in jobs:
            end += time[k]
            if last is not None:
                end += between[last][k]
            last = k
        if end > longest:
            longest = end
    return longest


class Neighbours:
    """A job moves, often off the busiest machine, or two jobs exchange their places."""

    def __init__(self, answer, times, setups):
        self.times = times
        self.setups = setups
        self.size = len(times[0])
        self.restart(answer)

    def restart(self, answer):
        """Goes on from another answer."""
        self.plan = [list(jobs) for jobs in answer]
        self.ends = [objective([jobs], [t], [s]) for jobs, t, s in zip(self.plan, self.times, self.setups)]

    def replaced(self, i, a, kept):
        """By how much machine i ends later if its job at place a leaves, and another or none comes."""
        jobs = self.plan[i]
        between = self.setups[i]
        job = jobs[a]
        change = -self.times[i][job]
        before = jobs[a - 1] if a else None
        after = jobs[a + 1] if a + 1 < len(jobs) else None
        if before is not None:
            change -= between[before][job]
        if after is not None:
            change -= between[job][after]
        if kept is None:
            if before is not None and after is not None:
                change += between[before][after]
            return change
        change += self.times[i][kept]
        if before is not None:
            change += between[before][kept]
        if after is not None:
            change += between[kept][after]
        return change

    def draw(self, random):
        plan, ends = self.plan, self.ends
        count = len(plan)
        i = int(count * random())
        if random() < 0.5:
            i = ends.index(max(ends))
        k = int(count * random())
        first, second = plan[i], plan[k]
        if not first:
            return 0, None
        a = int(len(first) * random())
        if random() < 0.4 and i != k and second:
            b = int(len(second) * random())
            one = ends[i] + self.replaced(i, a, second[b])
            other = ends[k] + self.replaced(k, b, first[a])
            return self.rated(i, k, one, other, ("exchange", i, a, k, b))
        b = int((len(second) + (i != k)) * random())
        if i == k:
            if a == b:
                return 0, None
            jobs = first[:]
            jobs.insert(b, jobs.pop(a))
            end = objective([jobs], [self.times[i]], [self.setups[i]])
            return self.rated(i, i, end, end, ("move", i, a, k, b))
        job = first[a]
        between = self.setups[k]
        grown = ends[k] + self.times[k][job]
        if b:
            grown += between[second[b - 1]][job]
        if b < len(second):
            grown += between[job][second[b]]
            if b:
                grown -= between[second[b - 1]][second[b]]
        return self.rated(i, k, ends[i] + self.replaced(i, a, None), grown, ("move", i, a, k, b))

    def rated(self, i, k, one, other, move):
        """The change of the makespan if machines i and k end at `one` and `other`."""
        longest = one if one > other else other
        for number, end in enumerate(self.ends):
            if end > longest and number != i and number != k:
                longest = end
        return longest - max(self.ends), (*move, one, other)

    def make(self, move):
        form, i, a, k, b, one, other = move
        if form == "exchange":
            self.plan[i][a], self.plan[k][b] = self.plan[k][b], self.plan[i][a]
        else:
            self.plan[k].insert(b, self.plan[i].pop(a))
        self.ends[i], self.ends[k] = one, other

    def answer(self):
        return [jobs[:] for jobs in self.plan]
