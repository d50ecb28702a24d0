"""Loads: how many units are alive at each moment."""


def contentions(buffers: list[list[int]]) -> list[int]:
    """For each buffer the largest sum of live sizes during its life."""
    steps, loads = live_loads(buffers)
    pairs = list(zip(steps, loads, strict=True))
    return [max(load for step, load in pairs if start <= step < end) for start, end, _ in buffers]


def live_loads(buffers: list[list[int]]) -> tuple[list[int], list[int]]:
    """Moments at which a buffer starts, and the sum of the sizes that are alive then."""
    steps = sorted({start for start, _, _ in buffers})
    loads = [sum(size for start, end, size in buffers if start <= step < end) for step in steps]
    return steps, loads
