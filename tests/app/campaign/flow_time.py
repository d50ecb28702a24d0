"""A small problem as a user's file: least weighted sum of completion times (optimal: Smith 1956)."""

from random import Random

from gapsmith import Instance, Primitive, ProofKind, Reference, Sense, Verdict

START = '''"""Heaviest first."""


def order(times, weights):
    return sorted(range(len(times)), key=lambda j: 2 - 3 * weights[j])
'''
SLOW = '''"""Shortest first."""


def order(times, weights):
    return sorted(range(len(times)), key=lambda j: times[j])
'''


def _cost(instance, sequence):
    time = total = 0
    for job in sequence:
        time += instance.public["times"][job]
        total += time * instance.public["weights"][job]
    return total


class FlowTime:
    """Least weighted sum of completion times on one machine."""

    name = "flow-time"
    version = "1"
    sense = Sense.MINIMISE
    unit = "weighted time units"
    entry_point = "order"
    signature = "def order(times: list[int], weights: list[int]) -> list[int]:"
    statement = "Order jobs on one machine so that the weighted sum of completion times is least."

    def sets(self):
        return {name: f"{count} random instances of 12 jobs" for name, count in self._counts().items()}

    def _counts(self):
        return {"train": 3, "valid": 2, "test": 2}

    def instances(self, set, seed):
        found = []
        for number in range(self._counts()[set]):
            rng = Random(f"{seed} {set} {number}")
            public = {
                "times": [rng.randint(1, 20) for _ in range(12)],
                "weights": [rng.randint(1, 9) for _ in range(12)],
            }
            found.append(Instance(f"{set}-{number}", set, f"s{number % 2}", public, 1, f"seed {seed}"))
        return found

    def start_programs(self):
        return {"heaviest": START}

    def baselines(self):
        return {"shortest": SLOW}

    def primitives(self):
        return [
            Primitive("times[j]", "number", "processing time of job j, time units"),
            Primitive("weights[j]", "number", "weight of job j"),
        ]

    def verify(self, instance, answer):
        count = len(instance.public["times"])
        if not isinstance(answer, list) or not all(type(j) is int for j in answer):
            return Verdict.invalid(f"expected a list of {count} job numbers")
        if sorted(answer) != list(range(count)):
            return Verdict.invalid(f"expected every job 0 to {count - 1} once")
        return Verdict.valid(_cost(instance, answer))

    def reference(self, instance, seconds):
        times, weights = instance.public["times"], instance.public["weights"]
        best = sorted(range(len(times)), key=lambda j: times[j] / weights[j])
        value = _cost(instance, best)
        return Reference.optimum(value, ProofKind.ARITHMETIC, "Smith's rule", "1", None, "Smith 1956")
