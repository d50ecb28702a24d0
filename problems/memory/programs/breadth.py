"""Breadth: all buffers of the operation with the most live units, the largest first, then of the next one."""


def breadth(buffers: list[list[int]], steps: list[int], loads: list[int]) -> list[int]:
    """The buffers in this order, from the loads at the steps."""
    order: list[int] = []
    by_size = sorted(range(len(buffers)), key=lambda i: -buffers[i][2])
    for _, step in sorted(zip([-load for load in loads], steps, strict=True)):
        order += [i for i in by_size if buffers[i][0] <= step < buffers[i][1] and i not in order]
    return order
