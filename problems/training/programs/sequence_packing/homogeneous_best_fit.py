"""The best single degree for the whole step; best fit decreasing by tokens."""

from .cut import cut
from .pack_by_tokens import pack
from .span import span


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
    best: list[list[tuple[int, list[int]]]] = []
    least = 0
    for j in range(len(degrees)):
        if max(lengths) > degrees[j] * capacity:
            continue
        for parts in range(1, len(lengths) + 1):
            step = []
            for chunk in cut(order, parts, lengths):
                microbatch = pack(chunk, j, devices, capacity, degrees, lengths, times)
                if microbatch is None:
                    break
                step.append(microbatch)
            else:
                total = sum(overhead + span(microbatch, degrees, times) for microbatch in step)
                if not best or total < least:
                    best, least = step, total
                break
    return best
