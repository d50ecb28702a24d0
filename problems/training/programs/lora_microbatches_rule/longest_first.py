"""First fit decreasing over all adapters: the longest sample that fits, whatever its adapter."""


def priority(
    tokens: int,
    tiles: int,
    room: int,
    capacity: int,
    left: int,
    later: int,
    begun: int,
    held: int,
    place: int,
    remaining: int,
    stages: int,
    tile: int,
) -> float:
    """Rates a sample that fits the open microbatch; the highest enters."""
    return tokens
