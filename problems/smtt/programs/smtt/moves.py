"""Jobs in sequence: the objective, and moves that are rated by their increments."""


def objective(answer, processing_times, due_dates):
    """Total tardiness, time units."""
    end = total = 0
    for j in answer:
        end += processing_times[j]
        total += max(0, end - due_dates[j])
    return total


class Neighbours:
    """A job moves to another place, or two jobs exchange their places; what lies between is counted again."""

    def __init__(self, answer, processing_times, due_dates):
        self.times, self.due = processing_times, due_dates
        self.order = list(answer)
        self.size = len(self.order)
        self.ends = [0] * (self.size + 1)
        self.costs = [0] * self.size
        self.count(0, self.order)

    def count(self, first, jobs):
        end = self.ends[first]
        for place, j in enumerate(jobs, first):
            end += self.times[j]
            self.ends[place + 1] = end
            self.costs[place] = max(0, end - self.due[j])

    def draw(self, random):
        i, k = int(self.size * random()), int(self.size * random())
        first, last = min(i, k), max(i, k)
        if first == last:
            return 0, None
        jobs = self.order[first : last + 1]
        if random() < 0.6:
            if i < k:
                jobs.append(jobs.pop(0))
            else:
                jobs.insert(0, jobs.pop())
        else:
            jobs[0], jobs[-1] = jobs[-1], jobs[0]
        end = self.ends[first]
        change = -sum(self.costs[first : last + 1])
        for j in jobs:
            end += self.times[j]
            if end > self.due[j]:
                change += end - self.due[j]
        return change, (first, jobs)

    def make(self, move):
        first, jobs = move
        self.order[first : first + len(jobs)] = jobs
        self.count(first, jobs)

    def answer(self):
        return self.order[:]
