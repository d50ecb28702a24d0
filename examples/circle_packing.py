"""Place `count` circles in the unit square, so that the sum of their radii is large.

They may touch each other and the sides, but neither overlap nor reach outside. Return a list of `count` lists
[x, y, radius]. Lengths are compared exactly, with a tolerance of 1e-9.

    gapsmith problems check examples/circle_packing.py
    gapsmith run examples/circle_packing.py
"""

import math
from fractions import Fraction

import gapsmith as gs

TOLERANCE = Fraction(1, 10**9)
BEST_KNOWN = {26: Fraction("2.635"), 32: Fraction("2.937")}
SOURCE = "AlphaEvolve, arXiv:2506.13131, section B.12; larger sums have been reported since"

problem = gs.problem("verified-circle-packing", maximise="sides of the square")
train, valid, test = (8, 11, 15, 19, 23, 27), (9, 13, 17, 21, 25, 29), (10, 12, 16, 20, 26, 32)
problem.data([{"count": count} for count in train + valid + test], train=6, valid=6, test=6)


@problem.heuristic
def one_by_one(count):
    """Circles one after another on the points of a grid."""
    places = [(i / 40, j / 40) for i in range(41) for j in range(41)]
    rooms = [min(x, y, 1 - x, 1 - y) for x, y in places]
    circles = []
    for _ in range(count):
        best = max(range(len(places)), key=lambda i: rooms[i])
        x, y = places[best]
        radius = max(0.0, min(rooms[best], 0.36 / math.sqrt(count)))
        circles.append([x, y, radius])
        for i, (u, v) in enumerate(places):
            rooms[i] = min(rooms[i], math.hypot(u - x, v - y) - radius)
    return circles


@problem.heuristic
def square_grid(count):
    """Equal circles in the cells of the smallest square grid that holds them."""
    side = math.isqrt(count - 1) + 1
    radius = 0.5 / side
    return [[(2 * (i % side) + 1) * radius, (2 * (i // side) + 1) * radius, radius] for i in range(count)]


@problem.objective
def radii(answer, count):
    """The sum of the radii."""
    gs.require(type(answer) is list and len(answer) == count, f"expected a list of {count} circles")
    circles = []
    for circle in answer:
        gs.require(type(circle) is list and len(circle) == 3, "expected circles [x, y, radius]")
        known = all(type(part) in (int, float) and abs(part) <= 2 for part in circle)
        gs.require(known and circle[2] >= 0, f"circle {len(circles)} has no place in the unit square")
        x, y, radius = map(Fraction, circle)
        inside = min(x, y, 1 - x, 1 - y) >= radius - TOLERANCE
        gs.require(inside, f"circle {len(circles)} reaches out of the square")
        for other, (u, v, size) in enumerate(circles):
            apart = max(0, radius + size - TOLERANCE)
            gs.require((x - u) ** 2 + (y - v) ** 2 >= apart**2, f"{other} and {len(circles)} overlap")
        circles.append((x, y, radius))
    return float(sum(radius for _, _, radius in circles))


@problem.draw
def squares(answer):
    """A square of the side √2 · radius at the centre of each circle."""
    shapes = []
    for number, (x, y, radius) in enumerate(answer):
        half = radius / math.sqrt(2)
        shapes.append(gs.Shape("rectangle", x - half, y - half, 2 * half, 2 * half, str(number), "circles"))
    return gs.Drawing("squares within the circles", "x", "y", tuple(shapes))


@problem.reference
def area(count):
    """√(n/π) by Cauchy-Schwarz, for the areas of circles shrunk by the tolerance add up to at most 1."""
    square = Fraction(count, 1) / Fraction("3.14159265358") * 10**24
    bound = Fraction(math.isqrt(int(square)) + 1, 10**12) + count * TOLERANCE
    if count not in BEST_KNOWN:
        return gs.bound(bound)
    kind, proof = gs.ReferenceKind.BEST_KNOWN, gs.ProofKind.ARITHMETIC
    return gs.Reference(BEST_KNOWN[count], kind, bound, proof, "literature", "1", None, SOURCE)
