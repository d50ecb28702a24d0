"""Exact cover by full bins of two or three items, scarcest size first; else refills of a few bins."""

import random
from bisect import bisect_left, insort

MAX_PATTERNS = 12_000
COVER_WORK = 350_000  # about so many steps of all covers together
MAX_NODES = 220  # nodes of a cover beyond the number of bins
NOISE = 0.35  # later covers take the patterns in another order
WIDTH = 12  # patterns tried at a node
REFILL_WORK = 250_000  # steps of all refills together
BINS = (3, 6)  # bins that are emptied at once
HIDE = 0.25  # chance that an item is hidden from a bin that is filled
FILL_STEPS = 300  # steps of the search for the items that fill a bin best
HEAT = 0.02  # a loss of squared loads is accepted like one of this share of the capacity
SEED = 5


def pack(sizes: list[int], capacity: int) -> list[int]:
    """Index of a bin for each item."""
    bound = max(-(-sum(sizes) // capacity), sum(2 * size > capacity for size in sizes))
    contents = best_fit_decreasing(sizes, capacity)
    if len(contents) > bound and sum(sizes) == bound * capacity:
        contents = min([contents, *covers(tally(sizes), capacity, bound)], key=len)
    if len(contents) > bound:
        contents = refilled(contents, bound, capacity)
    items = {}
    for item, size in enumerate(sizes):
        items.setdefault(size, []).append(item)
    bins = [0] * len(sizes)
    for index, content in enumerate(contents):
        for size in content:
            bins[items[size].pop()] = index
    return bins


def best_fit_decreasing(sizes, capacity):
    """Contents of the bins."""
    spaces, contents = [], []  # (space, bin), rising
    for size in sorted(sizes, reverse=True):
        at = bisect_left(spaces, (size,))
        if at < len(spaces):
            space, index = spaces.pop(at)
        else:
            space, index = capacity, len(contents)
            contents.append([])
        insort(spaces, (space - size, index))
        contents[index].append(size)
    return contents


def tally(sizes):
    """How many items of each size."""
    counts = {}
    for size in sizes:
        counts[size] = counts.get(size, 0) + 1
    return counts


def full_bins(counts, capacity):
    """Full bins of two or three items that there are, as counts of sizes."""
    patterns = []
    sizes = sorted(counts, reverse=True)
    for i, a in enumerate(sizes):
        if 2 * a >= capacity:
            patterns.append(tally((a, capacity - a)))
        for b in sizes[i:]:
            if 0 < capacity - a - b <= b:
                patterns.append(tally((a, b, capacity - a - b)))
        if len(patterns) >= MAX_PATTERNS:
            break
    return [pattern for pattern in patterns if all(counts.get(size, 0) >= k for size, k in pattern.items())]


def covers(counts, capacity, bound):
    """Contents of the bins at the first dead end of a cover, best fit for the rest; at last a whole cover."""
    rng = random.Random(SEED)
    patterns = full_bins(counts, capacity)
    using = {size: [] for size in counts}
    for number, pattern in enumerate(patterns):
        for size in pattern:
            using[size].append(number)
    work, run = len(patterns), 0
    while work < COVER_WORK:
        left = dict(counts)
        alive = [True] * len(patterns)
        choices = {size: len(numbers) for size, numbers in using.items()}
        stack = []  # patterns still to be tried at a node, the one taken, patterns that it ended
        dead_ends = 0
        for _ in range(bound + MAX_NODES):
            work += len(left) // 2
            waiting = [size for size, count in left.items() if count]
            if not waiting or any(not choices[size] for size in waiting):
                if not waiting or not dead_ends:
                    taken = [
                        [size for size, k in patterns[number].items() for _ in range(k)]
                        for _, number, _ in stack
                    ]
                    rest = [size for size in waiting for _ in range(left[size])]
                    yield taken + best_fit_decreasing(rest, capacity)
                if not waiting:
                    return
                dead_ends += 1
            else:
                size = min(waiting, key=lambda size: choices[size] / left[size])
                options = []
                for number in using[size]:
                    if alive[number]:
                        scarcity = sum(k * choices[other] for other, k in patterns[number].items())
                        options.append((scarcity * (1 + (NOISE * rng.random() if run else 0)), number))
                options = sorted(options, reverse=True)[-WIDTH:]
                stack.append((options, None, []))
            while stack:
                options, number, ended = stack.pop()
                if number is not None:
                    work += len(ended)
                    for other in ended:
                        alive[other] = True
                        for size in patterns[other]:
                            choices[size] += 1
                    for size, k in patterns[number].items():
                        left[size] += k
                if options:
                    break
            else:
                return
            number, ended = options.pop()[1], []
            for size, k in patterns[number].items():
                left[size] -= k
            for size in patterns[number]:
                work += len(using[size]) // 2
                for other in using[size]:
                    if alive[other] and patterns[other][size] > left[size]:
                        alive[other] = False
                        ended.append(other)
                        for one in patterns[other]:
                            choices[one] -= 1
            stack.append((options, number, ended))
        run += 1


def refilled(contents, bound, capacity):
    """Empties a few bins and fills them anew, again and again, until there are `bound` bins."""
    rng = random.Random(SEED)
    work, roomy = 0, None
    while len(contents) > bound and work < REFILL_WORK:
        roomy = roomy or [index for index, content in enumerate(contents) if sum(content) < capacity]
        places = {rng.choice(roomy)}
        while len(places) < min(len(contents), rng.randint(*BINS)):
            places.add(rng.choice(roomy) if rng.random() < 0.5 else rng.randrange(len(contents)))
        old = [contents[index] for index in places]
        new, steps = filled(
            sorted((size for content in old for size in content), reverse=True), capacity, rng
        )
        work += steps + 60
        loss = sum(sum(content) ** 2 for content in old) - sum(sum(content) ** 2 for content in new)
        if len(new) <= len(old) and loss <= (HEAT * capacity) ** 2 * rng.expovariate(1.0):
            contents = [content for index, content in enumerate(contents) if index not in places] + new
            roomy = None
    return contents


def filled(items, capacity, rng):
    """Contents of bins, each the largest item left and what fills it best, and the steps of the searches."""
    contents, work = [], 0
    while items:
        content = [items.pop(0)]
        space = capacity - content[0]
        shown = [item for item in items if item <= space and rng.random() >= HIDE]
        best, steps = fullest(shown, space)
        work += steps
        for item in best:
            items.remove(item)
            space -= item
        content += best
        for item in list(items):
            if item <= space:
                items.remove(item)
                space -= item
                content.append(item)
        contents.append(content)
    return contents, work


def fullest(items, space):
    """Of the items, in falling order, those that leave least of the space; and the steps of the search."""
    best, least, steps = [], space, 0

    def search(start, left, chosen):
        nonlocal best, least, steps
        last = 0
        for place in range(start, len(items)):
            item = items[place]
            if item > left or item == last:
                continue
            if left - left // items[-1] * item >= least or steps > FILL_STEPS:
                return
            steps += 1
            last = item
            if left - item < least:
                best, least = [*chosen, item], left - item
            search(place + 1, left - item, [*chosen, item])

    search(0, space, [])
    return best, steps
