"""One degree for everything, the least that holds the longest sequence; parts in order of arrival."""

from .cut import cut
from .pack_by_time import pack


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
