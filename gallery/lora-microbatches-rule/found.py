def priority(tokens: int, tiles: int, room: int, capacity: int, left: int, later: int, begun: int, held: int, place: int, remaining: int, stages: int, tile: int) -> float:
    return stages + 0.178 * (max(1, later) / max(1, later / max(1, later / (capacity * tile))))
