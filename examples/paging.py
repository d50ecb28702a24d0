"""Requests for pages come one by one; at a miss of a full cache one page is evicted.

idle[s] are the requests since the page in slot s of the cache was last asked for, age[s] those since it was
loaded, uses[s] how often it was asked for since the beginning. Nothing is known of later requests.

    gapsmith problems check examples/paging.py
    gapsmith run examples/paging.py
"""

import gapsmith as gs

problem = gs.problem("paging", minimise="misses", answer=gs.Choice("idle"))


@problem.instances(train=20, valid=20, test=40)
def sequence(rng, *, requests: int = 400, room: int = 10, pages: int = 30):
    """Popular pages that change places, now and then a scan of pages asked for once, or a short loop."""
    popular, weights = list(range(pages)), [1 / (rank + 1) for rank in range(pages)]
    found = []
    while len(found) < requests:
        kind = rng.random()
        if kind < 0.1:
            fresh = pages + len(found)
            found += range(fresh, fresh + rng.randint(4, 12))
        elif kind < 0.15:
            found += rng.sample(popular, rng.randint(4, 9)) * rng.randint(2, 3)
        elif kind < 0.25:
            one, other = rng.sample(range(pages), 2)
            popular[one], popular[other] = popular[other], popular[one]
        else:
            found += rng.choices(popular, weights, k=rng.randint(5, 20))
    return {"requests": found[:requests], "room": room}


@problem.heuristic
def fifo(idle, age, uses):
    """The page that came into the cache first."""
    return max(range(len(age)), key=lambda s: age[s])


@problem.heuristic
def lru(idle, age, uses):
    """The page that was not asked for longest."""
    return max(range(len(idle)), key=lambda s: idle[s])


@problem.heuristic
def lfu(idle, age, uses):
    """The page with fewest requests so far, of these the one not asked for longest."""
    return min(range(len(uses)), key=lambda s: (uses[s], -idle[s]))


@problem.online
def cache(requests, room):
    """Asks for a slot at each miss of a full cache; returns the misses."""
    slots, last, came, uses, misses = [], {}, {}, {}, 0
    for now, page in enumerate(requests):
        uses[page] = uses.get(page, 0) + 1
        if page not in slots:
            misses += 1
            if len(slots) < room:
                slots.append(page)
            else:
                idle, age = [now - last[p] for p in slots], [now - came[p] for p in slots]
                slots[(yield idle, age, [uses[p] for p in slots])] = page
            came[page] = now
        last[page] = now
    return misses


@problem.reference
def belady(requests, room):
    """The page whose next request is farthest away is evicted (Belady, IBM Syst. J. 1966)."""
    upcoming, later = [], {}
    for place, page in reversed(list(enumerate(requests))):
        upcoming.append(later.get(page, len(requests)))
        later[page] = place
    cache, misses = {}, 0  # page -> place of its next request
    for page, place in zip(requests, reversed(upcoming), strict=True):
        if page not in cache:
            misses += 1
            if len(cache) == room:
                del cache[max(cache, key=cache.get)]
        cache[page] = place
    return gs.optimum(misses)
