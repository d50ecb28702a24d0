"""Twenty-six circles in the unit square, one after another: a start program with room to grow."""

import math


# EVOLVE-BLOCK-START
def worth(x, y, room, number):
    """How good a place is for circle `number` (from 0); the place with the largest worth is taken."""
    return room


def growth(x, y, room, number):
    """Radius of the circle at its place; `room` is the largest that fits there."""
    return min(room, 0.07)


# EVOLVE-BLOCK-END


def pack():
    """The circles as (x, y, radius), as the evaluator asks for them."""
    places = [(i / 40, j / 40) for i in range(41) for j in range(41)]
    rooms = [min(x, y, 1 - x, 1 - y) for x, y in places]
    circles = []
    for number in range(26):
        best = max(range(len(places)), key=lambda i: worth(*places[i], max(0.0, rooms[i]), number))
        (x, y), room = places[best], max(0.0, rooms[best])
        radius = min(room, max(0.0, growth(x, y, room, number)))
        circles.append((x, y, radius))
        for i, (u, v) in enumerate(places):
            rooms[i] = min(rooms[i], math.hypot(u - x, v - y) - radius)
    return circles
