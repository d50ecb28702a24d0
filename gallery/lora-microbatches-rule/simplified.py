def priority(tokens: int, tiles: int, room: int, capacity: int, left: int, later: int, begun: int, held: int, place: int, remaining: int, stages: int, tile: int) -> float:
    return later
