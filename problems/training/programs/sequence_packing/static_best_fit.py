"""One degree for everything, the least that holds the longest sequence; best fit decreasing by tokens."""


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
    j = min(j for j in range(len(degrees)) if max(lengths) <= degrees[j] * capacity)
    parts = 1
    while True:
        step = [
            pack(chunk, j, devices, capacity, degrees, lengths, times) for chunk in cut(order, parts, lengths)
        ]
        if all(step):
            return [microbatch for microbatch in step if microbatch]
        parts += 1


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
    """Longest sequences first, each to the fullest group that has room for its tokens."""
    degree = degrees[j]
    groups: list[list[int]] = [[] for _ in range(devices // degree)]
    tokens = [0] * len(groups)
    for k in sorted(chunk, key=lambda k: -lengths[k]):
        fits = [g for g in range(len(groups)) if tokens[g] + lengths[k] <= degree * capacity]
        if not fits:
            return None
        g = max(fits, key=lambda g: tokens[g])
        groups[g].append(k)
        tokens[g] += lengths[k]
    return [(degree, group) for group in groups if group]
