"""First fit: each buffer, in the given order, at the lowest offset that is free during its whole life."""


def first_fit(buffers: list[list[int]], order: list[int]) -> list[int]:
    """Offsets of buffers that are placed in this order."""
    offsets = [0] * len(buffers)
    placed: list[int] = []
    for i in order:
        start, end, size = buffers[i]
        taken = sorted(
            (offsets[j], offsets[j] + buffers[j][2])
            for j in placed
            if buffers[j][0] < end and start < buffers[j][1]
        )
        offset = 0
        for low, high in taken:
            if low - offset >= size:
                break
            offset = max(offset, high)
        offsets[i] = offset
        placed.append(i)
    return offsets
