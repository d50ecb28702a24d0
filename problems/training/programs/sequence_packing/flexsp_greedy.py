"""FlexSP's order of decisions (arXiv:2412.01523) with a greedy rule in place of its integer programme."""

from .cut import cut


def plan(
    devices: int,
    capacity: int,
    overhead: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[list[tuple[int, list[int]]]]:
    """Groups [degree, sequences] of each microbatch: as few sorted parts as fit, each in the least time."""
    order = sorted(range(len(lengths)), key=lambda k: -lengths[k])
    for parts in range(1, len(lengths) + 1):
        step = []
        for chunk in cut(order, parts, lengths):
            microbatch = bisect(chunk, devices, capacity, degrees, lengths, times)
            if microbatch is None:
                break
            step.append(microbatch)
        else:
            return step
    return []


def bisect(
    chunk: list[int],
    devices: int,
    capacity: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[tuple[int, list[int]]] | None:
    """Groups of the least limit of time for which the greedy rule needs no more than all devices."""
    low = max(min(time for time in times[k] if time) for k in chunk)
    high = sum(max(times[k]) for k in chunk)
    best = assign(chunk, high, devices, capacity, degrees, lengths, times)
    while low < high and best:
        limit = (low + high) // 2
        groups = assign(chunk, limit, devices, capacity, degrees, lengths, times)
        if groups is None:
            low = limit + 1
        else:
            best = groups
            high = limit
    return best


def assign(
    chunk: list[int],
    limit: int,
    devices: int,
    capacity: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[tuple[int, list[int]]] | None:
    """Each sequence into the fullest open group that has room, else a group of its least device time."""
    choice = {}
    for k in chunk:
        usable = [j for j in range(len(degrees)) if 0 < times[k][j] <= limit]
        if not usable:
            return None
        choice[k] = min(usable, key=lambda j: degrees[j] * times[k][j])
    groups: list[tuple[int, list[int]]] = []
    load: list[int] = []
    tokens: list[int] = []
    for k in sorted(chunk, key=lambda k: (-choice[k], -times[k][choice[k]])):
        best = None
        fullest = 0
        for g in range(len(groups)):
            j = groups[g][0]
            total = load[g] + times[k][j]
            room = degrees[j] * capacity - tokens[g]
            if times[k][j] and total <= limit and lengths[k] <= room and (best is None or total > fullest):
                best = g
                fullest = total
        if best is None:
            best = len(groups)
            groups.append((choice[k], []))
            load.append(0)
            tokens.append(0)
        groups[best][1].append(k)
        load[best] += times[k][groups[best][0]]
        tokens[best] += lengths[k]
    if sum(degrees[j] for j, members in groups) > devices:
        return None
    return [(degrees[j], members) for j, members in groups]
