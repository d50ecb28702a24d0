"""Each sequence at the least degree that holds it, parts in order of arrival; devices shared out by work."""

from .cut import cut


def plan(
    devices: int,
    capacity: int,
    overhead: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[list[tuple[int, list[int]]]]:
    """Microbatches of groups [degree, sequences]."""
    order = list(range(len(lengths)))
    for parts in range(1, len(lengths) + 1):
        step = []
        for chunk in cut(order, parts, lengths):
            microbatch = share_out(chunk, devices, capacity, degrees, lengths, times)
            if microbatch is None:
                break
            step.append(microbatch)
        else:
            return step
    return []


def share_out(
    chunk: list[int],
    devices: int,
    capacity: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[tuple[int, list[int]]] | None:
    """Groups for each degree: as many as its tokens need, then more where the work per group is largest."""
    members: dict[int, list[int]] = {}
    for k in chunk:
        j = min(j for j in range(len(degrees)) if lengths[k] <= degrees[j] * capacity)
        members.setdefault(j, []).append(k)
    count = {j: -(-sum(lengths[k] for k in members[j]) // (degrees[j] * capacity)) for j in members}
    work = {j: sum(times[k][j] for k in members[j]) for j in members}
    while True:
        free = devices - sum(count[j] * degrees[j] for j in count)
        if free < 0:
            return None
        short = [
            j for j in members if pack(members[j], j, count[j], capacity, degrees, lengths, times) is None
        ]
        open_degrees = short or [j for j in members if degrees[j] <= free and count[j] < len(members[j])]
        if not open_degrees:
            break
        count[max(open_degrees, key=lambda j: work[j] / count[j])] += 1
    packed = [pack(members[j], j, count[j], capacity, degrees, lengths, times) or [] for j in members]
    return [group for groups in packed for group in groups]


def pack(
    chunk: list[int],
    j: int,
    count: int,
    capacity: int,
    degrees: list[int],
    lengths: list[int],
    times: list[list[int]],
) -> list[tuple[int, list[int]]] | None:
    """Longest sequences first, each to the group of least time that has room for its tokens."""
    groups: list[list[int]] = [[] for _ in range(count)]
    tokens = [0] * count
    load = [0] * count
    for k in sorted(chunk, key=lambda k: -lengths[k]):
        fits = [g for g in range(count) if tokens[g] + lengths[k] <= degrees[j] * capacity]
        if not fits:
            return None
        g = min(fits, key=lambda g: load[g])
        groups[g].append(k)
        tokens[g] += lengths[k]
        load[g] += times[k][j]
    return [(degrees[j], group) for group in groups if group]
