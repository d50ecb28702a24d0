"""Watch posts: the fewest crossings such that every road has a post at one of its ends."""

from __future__ import annotations

import random
from typing import Annotated

from gapsmith import Instance, Json, Parameter, Plugin, Reference, Sense, Verdict, solve_mip

FIRST_END = '''\
def place(crossings: int, roads: list[list[int]]) -> list[int]:
    """A post at the first end of every road that is not watched yet."""
    posts = set()
    for road in roads:
        if road[0] not in posts and road[1] not in posts:
            posts.add(road[0])
    return sorted(posts)
'''

BUSIEST_FIRST = '''\
def place(crossings: int, roads: list[list[int]]) -> list[int]:
    """Again and again a post at the crossing with most roads that are not watched yet."""
    open_roads = [tuple(road) for road in roads]
    posts = []
    while open_roads:
        count = [0] * crossings
        for a, b in open_roads:
            count[a] += 1
            count[b] += 1
        best = max(range(crossings), key=lambda c: count[c])
        posts.append(best)
        open_roads = [road for road in open_roads if best not in road]
    return posts
'''


class WatchPosts:
    """Minimise the posts that watch all roads."""

    name = "watch-posts"
    version = "1"
    sense = Sense.MINIMISE
    unit = "posts"
    entry_point = "place"
    signature = "def place(crossings: int, roads: list[list[int]]) -> list[int]:"
    statement = (
        "Crossings are numbered from 0 to crossings - 1; each road [a, b] joins two of them. Return the "
        "crossings that get a post, each once, such that every road has a post at one of its ends. Use as "
        "few posts as possible."
    )

    def __init__(
        self,
        crossings: Annotated[int, Parameter("crossings of each town", "crossings", 3, 300)] = 40,
        roads: Annotated[int, Parameter("roads of each town, about", "roads", 1, 3000)] = 80,
    ) -> None:
        """Takes the `[problem]` table of a configuration."""
        self.crossings = crossings
        self.roads = roads

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {
            "train": "12 towns that steer the search",
            "valid": "12 towns that choose the best heuristic",
            "test": "20 towns that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """Towns with random roads."""
        count = {"train": 12, "valid": 12, "test": 20}[set]
        stream = random.Random(f"{self.name} {set} {seed}")
        return [self._town(stream, set, number) for number in range(count)]

    def _town(self, stream: random.Random, set: str, number: int) -> Instance:
        roads = sorted({tuple(sorted(stream.sample(range(self.crossings), 2))) for _ in range(self.roads)})
        return Instance(
            id=f"{set}-{number:03}",
            split=set,
            stratum="random",
            public={"crossings": self.crossings, "roads": [list(road) for road in roads]},
            scale=1,
            source=f"{self.roads} random pairs of {self.crossings} crossings",
        )

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"first-end": FIRST_END}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"first-end": FIRST_END, "busiest-first": BUSIEST_FIRST}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The number of posts, if all roads are watched."""
        crossings = instance.public["crossings"]
        if not isinstance(answer, list) or not all(type(post) is int for post in answer):
            return Verdict.invalid("expected a list of crossings")
        # The range first: a set of huge numbers that were chosen to collide takes minutes.
        posts = set(answer) if all(0 <= post < crossings for post in answer) else set()
        if len(posts) != len(answer):
            return Verdict.invalid(f"expected different crossings from 0 to {crossings - 1}")
        for a, b in instance.public["roads"]:
            if a not in posts and b not in posts:
                return Verdict.infeasible(f"nobody watches road [{a}, {b}]")
        return Verdict.valid(len(posts))

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The optimum (posts) by integer programming, or a proven bound when the time is over."""
        import pulp

        model = pulp.LpProblem("posts", pulp.LpMinimize)
        post = [model.add_variable(f"post{c}", cat="Binary") for c in range(instance.public["crossings"])]
        model += pulp.lpSum(post)
        for a, b in instance.public["roads"]:
            model += post[a] + post[b] >= 1
        solved = solve_mip(model, seconds=seconds, integral_objective=True)
        checked = None
        if solved.solution is not None:
            chosen = [c for c, variable in enumerate(post) if solved[variable]]
            checked = self.verify(instance, chosen).objective
        return solved.as_reference(verified=checked)


plugin = Plugin(WatchPosts)
