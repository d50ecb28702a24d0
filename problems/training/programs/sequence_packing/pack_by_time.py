"""Sequences to groups of equal degree, by time."""


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
