"""Read ahead: how many blocks a file system reads with each block that is missing (a rule in a driver).

    gapsmith problems check examples/read_ahead.py
    gapsmith run examples/read_ahead.py --budget 60s

The driver keeps the cache and asks the rule at each miss. The reference is a bound: the cheapest reads that
bring every block at least once, whatever the cache drops and in whatever order blocks are asked for.
"""

from __future__ import annotations

import random
from typing import Annotated

from gapsmith import Instance, Json, Parameter, Reference, Sense, Verdict

SEEK = 8
"""Cost of a read beside its blocks (block times)."""
MOST = 32
"""Blocks that one read takes ahead at most (count)."""

FOUR = '''\
def ahead(run: int, used: int, last: int, gap: int) -> float:
    """Always four blocks."""
    return 4
'''

SIXTEEN = '''\
def ahead(run: int, used: int, last: int, gap: int) -> float:
    """Always sixteen blocks."""
    return 16
'''

TWICE_THE_RUN = '''\
def ahead(run: int, used: int, last: int, gap: int) -> float:
    """Twice as many as were asked for in a row."""
    return 2 * run
'''

DOUBLING = '''\
def ahead(run: int, used: int, last: int, gap: int) -> float:
    """Twice as many as last time where the whole last read was of use, else two."""
    return 2 * last if used >= last > 0 else 2
'''

DRIVER = '''\
def drive(ahead, instance):
    """Keeps the cache, oldest first; answers with the blocks read ahead at each miss, and -1 at each hit."""
    cache, plan = {}, []  # block -> whether it was read ahead and not asked for yet
    before, run, used, last, missed = None, 0, 0, 0, 0
    for now, block in enumerate(instance["requests"]):
        run = run + 1 if before is not None and block == before + 1 else 1
        before = block
        if block in cache:
            used += cache.pop(block)
            cache[block] = False
            plan.append(-1)
            continue
        number = float(ahead(run, used, last, now - missed))
        number = int(min(32, max(0, number))) if number == number else 0
        plan.append(number)
        for each in range(block, block + number + 1):
            cache.pop(each, None)
            cache[each] = each != block
        while len(cache) > instance["room"]:
            del cache[next(iter(cache))]
        used, last, missed = 0, number, now
    return plan
'''


class ReadAhead:
    """Minimise the time that reads take."""

    name = "read-ahead"
    version = "1"
    sense = Sense.MINIMISE
    unit = "block times"
    entry_point = "ahead"
    signature = "def ahead(run: int, used: int, last: int, gap: int) -> float:"
    statement = (
        "Blocks of a disk are asked for one by one; a cache has room for a fixed number of them and "
        "drops the one that was read or asked for longest ago. A request for a block that is not in the "
        "cache is a miss: the block is read together with the blocks that follow it, as many as "
        f"ahead(run, used, last, gap) says, rounded down, 0 to {MOST}. A read takes {SEEK} block times "
        "and one more for each of its blocks. run: how many requests in a row, this one included, each "
        "asked for the block after the one before (1: this one did not). last: blocks that the read "
        "before took ahead; used: how many blocks read ahead were asked for since that read; gap: "
        "requests since it. Files are read from their beginning, some short, some long, and lie "
        "anywhere. Minimise the time of all reads."
    )
    driver = DRIVER
    calls = "The driver calls a program once for each miss."

    def __init__(
        self,
        requests: Annotated[int, Parameter("requests of each instance", "requests", 20, 5000)] = 400,
        room: Annotated[int, Parameter("blocks that the cache holds", "blocks", MOST + 1, 1000)] = 48,
    ) -> None:
        self.requests, self.room = requests, room

    def sets(self) -> dict[str, str]:
        """See `gapsmith.Problem`."""
        return {
            "train": "21 sequences that steer the search",
            "valid": "21 sequences that choose the best heuristic",
            "test": "42 sequences that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """See `gapsmith.Problem`."""
        count = {"train": 21, "valid": 21, "test": 42}[set]
        stream = random.Random(f"{self.name} {set} {seed}")
        shares = (20, 50, 80)
        return [self._draw(stream, f"{set}-{n:03}", set, shares[n % len(shares)]) for n in range(count)]

    def _draw(self, stream: random.Random, id: str, set: str, share: int) -> Instance:
        requests: list[int] = []
        while len(requests) < self.requests:
            first = stream.randrange(5000)
            length = stream.randint(20, 80) if 100 * stream.random() < share else stream.randint(1, 4)
            requests += range(first, first + length)
        return Instance(
            id=id,
            split=set,
            stratum=f"{share} % long",
            public={"requests": requests[: self.requests], "room": self.room},
            scale=1,
            source=f"files of 20 to 80 blocks ({share} %) and of 1 to 4 blocks, at random places",
        )

    def start_programs(self) -> dict[str, str]:
        """See `gapsmith.Problem`."""
        return {"always-four": FOUR}

    def baselines(self) -> dict[str, str]:
        """See `gapsmith.Problem`."""
        return {
            "always-four": FOUR,
            "always-sixteen": SIXTEEN,
            "twice-the-run": TWICE_THE_RUN,
            "doubling": DOUBLING,
        }

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The time of all reads, with a cache of its own."""
        requests, room = instance.public["requests"], instance.public["room"]
        if not isinstance(answer, list) or len(answer) != len(requests):
            return Verdict.invalid(f"expected a number for each of {len(requests)} requests")
        cache: dict[int, None] = {}  # oldest first
        time = 0
        for block, number in zip(requests, answer, strict=True):
            if type(number) is not int or not -1 <= number <= MOST:
                return Verdict.invalid(f"expected whole numbers from 0 to {MOST}, or -1 at a hit")
            if (number == -1) != (block in cache):
                return Verdict.infeasible(f"block {block}: -1 has to stand at every hit and at no miss")
            time += 0 if number == -1 else SEEK + 1 + number
            for each in range(block, block + max(0, number) + 1):
                cache.pop(each, None)
                cache[each] = None
            while len(cache) > room:
                del cache[next(iter(cache))]
        return Verdict.valid(time)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """A bound: reads are intervals of blocks that cover every block asked for; the cheapest cover."""
        blocks = sorted({*instance.public["requests"]})
        least = [0] * (len(blocks) + 1)  # of the blocks from this one on
        for first in reversed(range(len(blocks))):
            ends = [
                k
                for k in range(first, min(first + MOST + 1, len(blocks)))
                if blocks[k] - blocks[first] <= MOST
            ]
            least[first] = min(SEEK + 1 + blocks[k] - blocks[first] + least[k + 1] for k in ends)
        return Reference.proven_bound(least[0], source="the cheapest cover by intervals of at most 33 blocks")
