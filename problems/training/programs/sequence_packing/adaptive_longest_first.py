"""The best single degree of each microbatch over sorted parts; longest first to the least loaded group."""


def plan(
    devices: int,
    capacity: int,
    overhead: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[list[tuple[int, list[int]]]]:
    """Microbatches of groups [degree, sequences]."""
    order = sorted(range(len(lengths)), key=lambda k: -lengths[k])
    best: list[list[tuple[int, list[int]]]] = []
    least = 0
    tries = 0
    parts = 0
    while tries < 3:
        parts += 1
        step = []
        for chunk in cut(order, parts, lengths):
            options = [
                pack(chunk, j, devices, capacity, degrees, lengths, times)
                for j in range(len(degrees))
                if max(lengths[k] for k in chunk) <= degrees[j] * capacity
            ]
            feasible = [option for option in options if option]
            if not feasible:
                break
            step.append(min(feasible, key=lambda microbatch: span(microbatch, degrees, times)))
        else:
            tries += 1
            total = sum(overhead + span(microbatch, degrees, times) for microbatch in step)
            if not best or total < least:
                best, least = step, total
        if parts > len(lengths):
            break
    return best


def cut(order: list[int], parts: int, lengths: list[int]) -> list[list[int]]:
    """Consecutive parts of about equal tokens; none is empty."""
    total = sum(lengths)
    chunks: list[list[int]] = [[] for _ in range(parts)]
    tokens = 0
    for k in order:
        middle = tokens + lengths[k] // 2
        chunks[min(parts - 1, middle * parts // total)].append(k)
        tokens += lengths[k]
    return [chunk for chunk in chunks if chunk]


def pack(
    chunk: list[int],
    j: int,
    devices: int,
    capacity: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[tuple[int, list[int]]] | None:
    """Longest sequences first, each to the group of least time that has room for its tokens."""
    degree = degrees[j]
    groups: list[list[int]] = [[] for _ in range(devices // degree)]
    tokens = [0] * len(groups)
    load = [0] * len(groups)
    for k in sorted(chunk, key=lambda k: -lengths[k]):
        fits = [g for g in range(len(groups)) if tokens[g] + lengths[k] <= degree * capacity]
        if not fits:
            return None
        g = min(fits, key=lambda g: load[g])
        groups[g].append(k)
        tokens[g] += lengths[k]
        load[g] += times[k][j]
    return [(degree, group) for group in groups if group]


def span(microbatch: list[tuple[int, list[int]]], degrees: list[int], times: list[list[int]]) -> int:
    """Time of the slowest group."""
    return max(sum(times[k][degrees.index(degree)] for k in members) for degree, members in microbatch)
