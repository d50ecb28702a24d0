"""A batch of sequences in parts."""


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
