"""The best single degree of each microbatch over sorted parts; longest first to the least loaded group."""

from .cut import cut
from .pack_by_time import pack
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
