"""How many blocks does a file system read together with each block that is missing?

Blocks are asked for one by one; a cache has room for some and drops the one read or asked for longest ago. A
block that is missing is read with the blocks that follow it, as many as the rule says, rounded down, 0 to 32.
A read takes 8 block times and one for each of its blocks. run: how many requests in a row, this one included,
each asked for the block after the one before (1: this one did not); last: blocks that the read before took
ahead; used: how many blocks read ahead were asked for since; gap: requests since.

    gapsmith problems check examples/read_ahead.py
    gapsmith run examples/read_ahead.py --budget 60s
"""

import gapsmith as gs

MOST, SEEK = 32, 8
problem = gs.problem("read-ahead", minimise="block times", answer=gs.Ratings())


@problem.instances(
    train=21, valid=21, test=42, strata={"few": {"share": 20}, "half": {}, "many": {"share": 80}}
)
def sequence(rng, *, requests: int = 400, room: int = 48, share: int = 50):
    """Files of 20 to 80 blocks (a share in percent) and of 1 to 4 blocks, read from their beginning."""
    found = []
    while len(found) < requests:
        first = rng.randrange(5000)
        length = rng.randint(20, 80) if 100 * rng.random() < share else rng.randint(1, 4)
        found += range(first, first + length)
    return {"requests": found[:requests], "room": room}


@problem.heuristic
def always_four(run, used, last, gap):
    """Always four blocks."""
    return 4


@problem.heuristic
def always_sixteen(run, used, last, gap):
    """Always sixteen blocks."""
    return 16


@problem.heuristic
def twice_the_run(run, used, last, gap):
    """Twice as many as were asked for in a row."""
    return 2 * run


@problem.heuristic
def doubling(run, used, last, gap):
    """Twice as many as last time where the whole last read was of use, else two."""
    return 2 * last if used >= last > 0 else 2


@problem.online
def disk(requests, room):
    """Asks at each miss for the blocks to read ahead; returns the time of all reads."""
    cache = {}  # block -> whether it was read ahead and not asked for yet, oldest first
    run, used, last, missed, time = 0, 0, 0, 0, 0
    for now, block in enumerate(requests):
        run = run + 1 if now and block == requests[now - 1] + 1 else 1
        if block in cache:
            used += cache.pop(block)
            cache[block] = False
            continue
        last = int(min(MOST, max(0, (yield run, used, last, now - missed))))
        used, missed, time = 0, now, time + SEEK + 1 + last
        for each in range(block, block + last + 1):
            cache.pop(each, None)
            cache[each] = each != block
        while len(cache) > room:
            del cache[next(iter(cache))]
    return time


@problem.reference
def cheapest_cover(requests):
    """A bound: the cheapest reads that bring every block once, whatever the cache drops."""
    blocks = sorted(set(requests))
    least = [0] * (len(blocks) + 1)  # of the blocks from this one on
    for first in reversed(range(len(blocks))):
        reads = [k for k in range(first, len(blocks)) if blocks[k] - blocks[first] <= MOST]
        least[first] = min(SEEK + 1 + blocks[k] - blocks[first] + least[k + 1] for k in reads)
    return gs.bound(least[0])
