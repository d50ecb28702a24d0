"""As many vectors as possible that are as far from each other as they are long (kissing numbers)."""

from __future__ import annotations

from gapsmith import Instance, Json, Sense, Verdict

AXES = '''\
def vectors(dimension: int) -> list[list[float]]:
    """Both directions of each axis."""
    axes = [[float(i == j) for j in range(dimension)] for i in range(dimension)]
    return axes + [[-x for x in axis] for axis in axes]
'''

DIAGONALS = '''\
def vectors(dimension: int) -> list[list[float]]:
    """The differences of two axes, both ways."""
    pairs = [(i, j) for i in range(dimension) for j in range(dimension) if i != j]
    return [[float(k == i) - float(k == j) for k in range(dimension)] for i, j in pairs]
'''


class Vectors:
    """Maximise the number of vectors."""

    name, version, sense, unit, entry_point = "vectors", "1", Sense.MAXIMISE, "vectors", "vectors"
    signature = "def vectors(dimension: int) -> list[list[float]]:"
    statement = (
        "Return vectors of `dimension` numbers from -1000000 to 1000000 such that the least distance of two "
        "of them is at least the length of the longest. Maximise their number."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "3 and 4", "valid": "5 and 6", "test": "7 and 8"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Two dimensions in each set."""
        return [
            Instance(f"{set}-{d}", set, "all", {"dimension": int(d)}, 1, "a list")
            for d in self.sets()[set].split(" and ")
        ]

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"axes": AXES}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"diagonals": DIAGONALS}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The number of vectors, if their distances are large enough."""
        dimension = instance.public["dimension"]
        if not isinstance(answer, list) or not 2 <= len(answer) <= 300:
            return Verdict.invalid("expected 2 to 300 vectors")
        for vector in answer:
            if not isinstance(vector, list) or len(vector) != dimension:
                return Verdict.invalid("expected lists of numbers")
            if not all(type(x) is float and abs(x) <= 1e6 for x in vector):
                return Verdict.invalid("expected numbers up to 1000000")
        longest = max(sum(x * x for x in vector) for vector in answer)
        least = min(
            sum((x - y) * (x - y) for x, y in zip(a, b, strict=True))
            for i, a in enumerate(answer)
            for b in answer[:i]
        )
        if longest < 1 or not least >= longest:
            return Verdict.infeasible("two vectors are too close")
        return Verdict.valid(len(answer))
