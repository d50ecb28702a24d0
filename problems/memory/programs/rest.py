"""Rest: each buffer stands on the buffers below it, the lowest floor first."""


def rest(buffers: list[list[int]], ties: list[float]) -> list[int]:
    """Offsets; of the unplaced buffers the one with the lowest floor is next, then with the lowest tie.

    The floor of a buffer is the highest top among the placed ones that share a moment with it; no hole is
    filled until all are placed.
    """
    offsets = [0] * len(buffers)
    floors = [0] * len(buffers)
    left = list(range(len(buffers)))
    while left:
        i = min(left, key=lambda j: (floors[j], ties[j]))
        left.remove(i)
        start, end, size = buffers[i]
        offsets[i] = floors[i]
        top = floors[i] + size
        for j in left:
            if buffers[j][0] < end and start < buffers[j][1] and floors[j] < top:
                floors[j] = top
    return offsets
