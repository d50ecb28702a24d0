"""Requests under memory: the sum of latencies, and moves that take requests out and start them again."""


def objective(answer, workers, memory, arrivals, prompts, outputs):
    """Rounds from arrival to completion, added up; the moves keep to the constraints."""
    starts = sum(start for _, start in answer)
    return starts + sum(outputs) - sum(arrivals)


class Neighbours:
    """One to three requests leave, and come back one by one, each at its earliest start on any worker."""

    def __init__(self, answer, workers, memory, arrivals, prompts, outputs):
        self.workers, self.memory = workers, memory
        self.arrivals, self.prompts, self.outputs = arrivals, prompts, outputs
        self.size = len(arrivals)
        self.places = [list(place) for place in answer]
        self.latest = max(arrivals) + sum(outputs)
        self.held = [[0] * (self.latest + max(outputs) + 1) for _ in range(workers)]
        for number in range(self.size):
            self.hold(number, self.places[number], 1)

    def hold(self, number, place, sign):
        held, start = self.held[place[0]], place[1]
        prompt = self.prompts[number] + 1
        for step in range(self.outputs[number]):
            held[start + step] += sign * (prompt + step)

    def earliest(self, number, held, latest):
        start, output = self.arrivals[number], self.outputs[number]
        room = self.memory - self.prompts[number] - 1
        step = 0
        while step < output and start < latest:
            excess = held[start + step] + step - room
            if excess > 0:
                start += excess if excess <= step else step + 1
                step = 0
            else:
                step += 1
        return start

    def draw(self, random):
        count = 1 + int(3 * random())
        chosen = []
        for _ in range(count):
            number = int(self.size * random())
            if number not in chosen:
                chosen.append(number)
        old = [self.places[number] for number in chosen]
        for number, place in zip(chosen, old):
            self.hold(number, place, -1)
        new = []
        for number in chosen:
            best = None
            for worker in range(self.workers):
                latest = self.latest + 1 if best is None else best[1]
                start = self.earliest(number, self.held[worker], latest)
                if start < latest:
                    best = [worker, start]
            if best is None:
                break
            self.hold(number, best, 1)
            new.append(best)
        for number, place in zip(chosen, new):
            self.hold(number, place, -1)
        for number, place in zip(chosen, old):
            self.hold(number, place, 1)
        if new == old or len(new) < len(old):
            return 0, None
        change = sum(place[1] for place in new) - sum(place[1] for place in old)
        return change, list(zip(chosen, new))

    def make(self, move):
        for number, _ in move:
            self.hold(number, self.places[number], -1)
        for number, place in move:
            self.places[number] = place
            self.hold(number, place, 1)

    def answer(self):
        return [place[:] for place in self.places]
