"""The fewest posts such that every road has one at an end; the reference is the best known, not proven."""

from __future__ import annotations

import random

from gapsmith import Instance, Json, Reference, ReferenceKind, Sense, Verdict

BOTH_ENDS = '''\
def place(crossings: int, roads: list[list[int]]) -> list[int]:
    """Both ends of every road that is not watched yet."""
    posts = []
    for a, b in roads:
        if a not in posts and b not in posts:
            posts += [a, b]
    return posts
'''

BUSIEST = '''\
def place(crossings: int, roads: list[list[int]]) -> list[int]:
    """Again and again the crossing with most open roads."""
    rest, posts = list(roads), []
    while rest:
        best = max(range(crossings), key=lambda c: sum(c in road for road in rest))
        posts.append(best)
        rest = [road for road in rest if best not in road]
    return posts
'''


class Cover:
    """Minimise the number of posts."""

    name, version, sense, unit, entry_point = "cover", "1", Sense.MINIMISE, "posts", "place"
    signature = "def place(crossings: int, roads: list[list[int]]) -> list[int]:"
    statement = "Return different crossings such that each road [a, b] has one of them at an end."

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {"train": "steers the search", "valid": "chooses the best", "test": "judges it once"}

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Random roads between 20 crossings."""
        stream = random.Random(f"{set} {seed} {self.sets()[set]}")
        return [self._draw(stream, set, number) for number in range(4)]

    def _draw(self, stream: random.Random, set: str, number: int) -> Instance:
        roads = sorted({tuple(sorted(stream.sample(range(20), 2))) for _ in range(40)})
        public = {"crossings": 20, "roads": [list(road) for road in roads]}
        return Instance(f"{set}-{number}", set, "random", public, 1, "random roads")

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"both-ends": BOTH_ENDS}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"busiest": BUSIEST}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The number of posts, if all roads are watched."""
        crossings, roads = instance.public["crossings"], instance.public["roads"]
        if not isinstance(answer, list) or len(answer) > crossings:
            return Verdict.invalid("expected a list of crossings")
        if not all(type(post) is int and 0 <= post < crossings for post in answer):
            return Verdict.invalid("expected crossings")
        if len(set(answer)) != len(answer):
            return Verdict.invalid("expected different crossings")
        for a, b in roads:
            if a not in answer and b not in answer:
                return Verdict.infeasible(f"nobody watches road {a}-{b}")
        return Verdict.valid(len(answer))

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """Posts at the busiest crossings, as good as anybody found: no proof."""
        rest, posts = list(instance.public["roads"]), 0
        while rest:
            best = max(range(20), key=lambda c: sum(c in road for road in rest))
            rest = [road for road in rest if best not in road]
            posts += 1
        return Reference(posts, ReferenceKind.BEST_KNOWN, None, None, "busiest first", "1", None, "computed")
