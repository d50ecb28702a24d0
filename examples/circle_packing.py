"""Circle packing with verified answers: what `examples/circle_packing/` becomes as a problem of one's own.

gapsmith problems check examples/circle_packing.py
gapsmith run examples/circle_packing.py
"""

from __future__ import annotations

import math
from fractions import Fraction

from gapsmith import (
    Drawing,
    Instance,
    Json,
    ProofKind,
    Reference,
    ReferenceKind,
    Sense,
    Shape,
    Verdict,
)

ONE_BY_ONE = '''\
import math


def worth(x, y, room, number, count):
    """How good a place is for circle `number` (from 0); the place with the largest worth is taken."""
    return room


def growth(x, y, room, number, count):
    """Radius of the circle at its place; `room` is the largest that fits there."""
    return min(room, 0.36 / math.sqrt(count))


def pack(count: int) -> list[list[float]]:
    """Circles one after another on the points of a grid."""
    places = [(i / 40, j / 40) for i in range(41) for j in range(41)]
    rooms = [min(x, y, 1 - x, 1 - y) for x, y in places]
    circles = []
    for number in range(count):
        best = max(range(len(places)), key=lambda i: worth(*places[i], max(0.0, rooms[i]), number, count))
        (x, y), room = places[best], max(0.0, rooms[best])
        radius = min(room, max(0.0, growth(x, y, room, number, count)))
        circles.append([x, y, radius])
        for i, (u, v) in enumerate(places):
            rooms[i] = min(rooms[i], math.hypot(u - x, v - y) - radius)
    return circles
'''

SQUARE_GRID = '''\
import math


def pack(count: int) -> list[list[float]]:
    """Equal circles in the cells of the smallest square grid that holds them."""
    side = math.isqrt(count - 1) + 1
    radius = 0.5 / side
    return [[(2 * (i % side) + 1) * radius, (2 * (i // side) + 1) * radius, radius] for i in range(count)]
'''

COUNTS = {
    "train": (8, 11, 15, 19, 23, 27),
    "valid": (9, 13, 17, 21, 25, 29),
    "test": (10, 12, 16, 20, 26, 32),
}
BEST_KNOWN = {26: Fraction("2.635"), 32: Fraction("2.937")}
BEST_KNOWN_SOURCE = "AlphaEvolve, arXiv:2506.13131, section B.12; larger sums have been reported since"
TOLERANCE = Fraction(1, 10**9)
"""Length by which a circle may reach over a side, or two circles into each other (sides of the square)."""
LARGEST = Fraction(2)
"""No coordinate and no radius of a packing is larger (sides of the square)."""
PI_BELOW = Fraction("3.14159265358")


class CirclePacking:
    """Maximise the sum of the radii of circles in the unit square; problem and references in one class."""

    name = "verified-circle-packing"
    version = "1"
    sense = Sense.MAXIMISE
    unit = "sides of the square"
    entry_point = "pack"
    signature = "def pack(count: int) -> list[list[float]]:"
    statement = (
        "Place `count` circles in the unit square. They may touch each other and the sides, but neither "
        "overlap nor reach outside. Return a list of `count` lists [x, y, radius]; maximise the sum of the "
        "radii. Lengths are compared exactly, with a tolerance of 1e-9."
    )

    def sets(self) -> dict[str, str]:
        """Name of each set → one sentence."""
        return {
            "train": "6 numbers of circles that steer the search",
            "valid": "6 others that choose the best heuristic",
            "test": "6 others that judge it once, 26 and 32 with best known sums among them",
        }

    def instances(self, set: str, seed: int) -> list[Instance]:
        """One instance for each number of circles; the seed changes nothing."""
        return [
            Instance(
                f"{set}-{count}", set, "n<16" if count < 16 else "n>=16", {"count": count}, 1, "unit square"
            )
            for count in COUNTS[set]
        ]

    def start_programs(self) -> dict[str, str]:
        """What a campaign starts from."""
        return {"one-by-one": ONE_BY_ONE}

    def baselines(self) -> dict[str, str]:
        """What results are compared with."""
        return {"one-by-one": ONE_BY_ONE, "square-grid": SQUARE_GRID}

    def verify(self, instance: Instance, answer: Json) -> Verdict:
        """The sum of the radii, if no circle reaches outside or into another one; all in exact arithmetic."""
        count = instance.public["count"]
        if not isinstance(answer, list) or len(answer) != count:
            return Verdict.invalid(f"expected a list of {count} circles")
        circles = []
        for number, circle in enumerate(answer):
            if not isinstance(circle, list) or len(circle) != 3 or not all(map(_is_number, circle)):
                return Verdict.invalid(f"circle {number}: expected [x, y, radius], three finite numbers")
            x, y, radius = map(Fraction, circle)
            if radius < 0 or max(abs(x), abs(y), radius) > LARGEST:
                return Verdict.infeasible(f"circle {number}: has no place in the unit square")
            if min(x, y, 1 - x, 1 - y) < radius - TOLERANCE:
                return Verdict.infeasible(f"circle {number} reaches out of the square")
            for other, (u, v, size) in enumerate(circles):
                apart = max(Fraction(0), radius + size - TOLERANCE)
                if (x - u) ** 2 + (y - v) ** 2 < apart**2:
                    return Verdict.infeasible(f"circles {other} and {number} overlap")
            circles.append((x, y, radius))
        total = sum((radius for _, _, radius in circles), Fraction(0))
        return Verdict.valid(float(total))

    def draw(self, instance: Instance, answer: Json) -> Drawing:
        """A square of the side √2 · radius at the centre of each circle."""
        shapes = []
        for number, (x, y, radius) in enumerate(answer):  # type: ignore[misc, arg-type]
            half = radius / math.sqrt(2)
            shapes.append(Shape("rectangle", x - half, y - half, 2 * half, 2 * half, str(number), "circles"))
        return Drawing(f"{instance.id}: squares within the circles", "x", "y", tuple(shapes))

    def reference(self, instance: Instance, seconds: float) -> Reference:
        """The best known sum, else the bound √(n/π): by Cauchy-Schwarz, for the areas add up to at most 1.

        The bound allows for the tolerance: shrunk by it, the circles of an answer are disjoint and inside.
        """
        count = instance.public["count"]
        square = count / PI_BELOW * 10**24
        bound = Fraction(math.isqrt(int(square)) + 1, 10**12) + count * TOLERANCE
        value, source = BEST_KNOWN.get(count), BEST_KNOWN_SOURCE
        if value is None:
            return Reference.proven_bound(bound, ProofKind.ARITHMETIC, source="area, Cauchy-Schwarz")
        kind = ReferenceKind.BEST_KNOWN
        return Reference(value, kind, bound, ProofKind.ARITHMETIC, "literature", "1", None, source)


def _is_number(value: Json) -> bool:
    """Whether a value is a finite number and no boolean."""
    return type(value) is int or (type(value) is float and math.isfinite(value))
