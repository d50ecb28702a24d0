"""Best fit: each buffer, in the given order, in the smallest gap that holds it, else on top."""


def best_fit(buffers: list[list[int]], order: list[int]) -> list[int]:
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
        top = 0
        gaps = []
        for low, high in taken:
            if low - top >= size:
                gaps.append((low - top, top))
            top = max(top, high)
        offsets[i] = min(gaps)[1] if gaps else top
        placed.append(i)
    return offsets
