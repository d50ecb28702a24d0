"""Paging: requests for pages come one by one; at a miss of a full cache one page is evicted (interactive).

    gapsmith problems check examples/paging.py
    gapsmith run examples/paging.py

The candidate runs in a sealed process and sees one request at a time; the parent keeps what is to come. The
reference is Belady's optimum, which knows all requests: a lower bound for any online rule, not a target.
"""

from __future__ import annotations

import random
from typing import Annotated

from gapsmith import Instance, Json, Parameter, Reference, Sense, Verdict

FIFO = '''\
def evict(page: int, idle: list[int], age: list[int], uses: list[int]) -> int:
    """The page that came into the cache first."""
    return max(range(len(age)), key=lambda s: age[s])
'''

LRU = '''\
def evict(page: int, idle: list[int], age: list[int], uses: list[int]) -> int:
    """The page that was not asked for longest."""
    return max(range(len(idle)), key=lambda s: idle[s])
'''

LFU = '''\
def evict(page: int, idle: list[int], age: list[int], uses: list[int]) -> int:
    """The page with fewest requests so far, of these the one not asked for longest."""
    return min(range(len(uses)), key=lambda s: (uses[s], -idle[s]))
'''

DRIVER = '''\
def drive(evict, instance, receive, send):
    """Keeps the cache for the candidate; sends the slot that is evicted, or "-" where none is."""
    room = instance["room"]
    cache, last, came, uses, now = [], {}, {}, {}, 0
    while (line := receive()) is not None:
        page = int(line)
        now += 1
        uses[page] = uses.get(page, 0) + 1
        reply = b"-"
        if page not in cache:
            if len(cache) < room:
                cache.append(page)
            else:
                idle = [now - last[p] for p in cache]
                age = [now - came[p] for p in cache]
                slot = evict(page, idle, age, [uses[p] for p in cache])
                if type(slot) is not int or not 0 <= slot < room:
                    send(repr(slot).encode("ascii", "replace")[:80].replace(b"\\n", b" "))
                    return
                reply = b"%d" % slot
                cache[slot] = page
            came[page] = now
        last[page] = now
        send(reply)
'''

PAGES = 30
"""Pages that are popular to some degree; scans bring others (count)."""


class Requests:
    """The side that knows the sequence; it keeps a cache of its own and believes nothing."""

    def __init__(self, requests: list[int], room: int) -> None:
        self.requests, self.room = requests, room
        self.slots: list[Json] = []  # for each request the slot that was evicted, or -1
        self.cache: list[int] = []
        self.begun = False

    def next(self, line: bytes) -> bytes | None:
        """Takes the last decision and reveals the next request."""
        if self.begun:
            self.take(line, self.requests[len(self.slots)])
        self.begun = True
        done = len(self.slots)
        return None if done == len(self.requests) else b"%d" % self.requests[done]

    def take(self, line: bytes, page: int) -> None:
        """Notes the decision on a request."""
        if page in self.cache or len(self.cache) < self.room:
            if line != b"-":
                raise ValueError(f"expected -, got {line[:40]!r}")
            if page not in self.cache:
                self.cache.append(page)
            self.slots.append(-1)
            return
        if not (line.isdigit() and len(line) < 6 and int(line) < self.room):
            raise ValueError(f"expected a slot from 0 to {self.room - 1}, got {line[:40]!r}")
        self.cache[int(line)] = page
        self.slots.append(int(line))

    def answer(self) -> Json:
        """The slots, in the order of the requests."""
        return list(self.slots)


class Paging:
    """Minimise the misses of a cache whose requests come one by one."""

    name = "paging"
    version = "1"
    sense = Sense.MINIMISE
    unit = "misses"
    entry_point = "evict"
    signature = "def evict(page: int, idle: list[int], age: list[int], uses: list[int]) -> int:"
    statement = (
        "A cache has room for a fixed number of pages. Pages are requested one by one; a request for a page"
        " that is not in the cache is a miss, and the page is loaded. When the cache is full, evict(page, "
        "idle, age, uses) returns the slot, numbered from 0, whose page makes room for page. For each slot,"
        " idle holds the requests since its page was last asked for, age those since it was loaded, uses "
        "how often it was asked for since the beginning. Nothing is known of later requests. Minimise the "
        "misses."
    )
    driver = DRIVER
    calls = "The driver calls a program once for each miss of a full cache; it may keep what it has seen."

    def __init__(
        self,
        requests: Annotated[int, Parameter("requests of each instance", "requests", 20, 5000)] = 400,
        room: Annotated[int, Parameter("pages that the cache holds", "pages", 2, 100)] = 10,
        secret: str = "",
    ) -> None:
        self.requests, self.room, self.secret = requests, room, secret

    def keyed(self, secret: str) -> Paging:
        """See `gapsmith.Keyed`."""
        return Paging(self.requests, self.room, secret)

    def dialogue(self, instance: Instance) -> Requests:
        """See `gapsmith.Interactive`."""
        assert instance.hidden is not None
        return Requests(instance.hidden["requests"], instance.public["room"])

    def sets(self) -> dict[str, str]:
        """See `gapsmith.Problem`."""
        return {
            "train": "20 sequences that steer the search",
            "valid": "20 sequences that choose the best heuristic",
            "test": "40 sequences that judge it once",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """See `gapsmith.Problem`."""
        count = {"train": 20, "valid": 20, "test": 40}[set]
        stream = random.Random(f"{self.name} {set} {seed}{self.secret}")
        return [
            Instance(
                id=f"{set}-{number:03}",
                split=set,
                stratum="zipf, drift, scans, loops",
                public={"room": self.room},
                hidden={"requests": self._draw(stream)},
                scale=1,
                source=f"Zipf over {PAGES} pages whose ranks drift, scans of 4 to 12 new pages, loops",
            )
            for number in range(count)
        ]

    def _draw(self, stream: random.Random) -> list[int]:
        """Popular pages that change places, now and then a scan of pages asked for once, or a short loop."""
        popular = list(range(PAGES))
        weights = [1 / (rank + 1) for rank in range(PAGES)]
        sequence: list[int] = []
        fresh = PAGES
        while len(sequence) < self.requests:
            kind = stream.random()
            if kind < 0.1:
                length = stream.randint(4, 12)
                sequence += range(fresh, fresh + length)
                fresh += length
            elif kind < 0.15:
                sequence += stream.sample(popular, stream.randint(4, 9)) * stream.randint(2, 3)
            elif kind < 0.25:
                one, other = stream.sample(range(PAGES), 2)
                popular[one], popular[other] = popular[other], popular[one]
            else:
                sequence += stream.choices(popular, weights, k=stream.randint(5, 20))
        labels = stream.sample(range(fresh), fresh)  # so that no number of a page says what kind it is
        return [labels[page] for page in sequence[: self.requests]]

    def start_programs(self) -> dict[str, str]:
        """See `gapsmith.Problem`."""
        return {"fifo": FIFO}

    def baselines(self) -> dict[str, str]:
        """See `gapsmith.Problem`."""
        return {"fifo": FIFO, "lru": LRU, "lfu": LFU}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The misses of the recorded slots, counted again from the requests."""
        assert instance.hidden is not None
        requests, room = instance.hidden["requests"], instance.public["room"]
        if not isinstance(answer, list) or len(answer) != len(requests):
            return Verdict.invalid(f"expected a slot or -1 for each of {len(requests)} requests")
        cache: list[int] = []
        misses = 0
        for page, slot in zip(requests, answer, strict=True):
            if type(slot) is not int or not -1 <= slot < room:
                return Verdict.invalid(f"expected slots from -1 to {room - 1}")
            evicts = page not in cache and len(cache) == room
            if evicts != (slot >= 0):
                return Verdict.infeasible("a slot where none is evicted, or none where one must be")
            misses += page not in cache
            if evicts:
                cache[slot] = page
            elif page not in cache:
                cache.append(page)
        return Verdict.valid(misses)

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """Fewest misses: evict the page whose next request is farthest away (Belady, IBM Syst. J. 1966)."""
        assert instance.hidden is not None
        requests, room = instance.hidden["requests"], instance.public["room"]
        upcoming = [len(requests)] * len(requests)
        later: dict[int, int] = {}
        for place in range(len(requests) - 1, -1, -1):
            upcoming[place] = later.get(requests[place], len(requests))
            later[requests[place]] = place
        cache: dict[int, int] = {}  # page → place of its next request
        misses = 0
        for place, page in enumerate(requests):
            if page not in cache:
                misses += 1
                if len(cache) == room:
                    del cache[max(cache, key=lambda one: cache[one])]
            cache[page] = upcoming[place]
        return Reference.optimum(misses, source="Belady 1966")
