"""Tokens of a microbatch with their padding."""


def padded(microbatch: list[int], samples: list[list[int]], tile: int) -> int:
    """Tokens of a microbatch, each adapter's rounded up to tiles."""
    tokens: dict[int, int] = {}
    for i in microbatch:
        tokens[samples[i][0]] = tokens.get(samples[i][0], 0) + samples[i][2]
    return sum(-(-total // tile) * tile for total in tokens.values())
