"""Scores a packing of 26 circles in the unit square by the sum of its radii, in OpenEvolve's format.

gapsmith problems check openevolve:examples/circle_packing
gapsmith run openevolve:examples/circle_packing
"""

import importlib.util
import math

CIRCLES = 26
BEST_KNOWN = 2.6358  # sum of radii
TOLERANCE = 1e-9  # length by which a circle may reach over a side or into another circle


def evaluate(path):
    """Metrics and artifacts of the program at a path."""
    spec = importlib.util.spec_from_file_location("program", path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    circles = [tuple(map(float, circle)) for circle in program.pack()]
    faults = faults_of(circles)
    total = 0.0 if faults else sum(radius for _, _, radius in circles)
    return {
        "combined_score": total / BEST_KNOWN,
        "sum_of_radii": total,
        "valid": not faults,
        "artifacts": {"faults" if faults else "packing": "\n".join(faults[:10] or described(circles))},
    }


def faults_of(circles):
    """What is wrong with a packing, in words; empty if nothing is."""
    if len(circles) != CIRCLES:
        return [f"got {len(circles)} circles, expected {CIRCLES}"]
    faults = []
    for number, (x, y, radius) in enumerate(circles):
        if not all(map(math.isfinite, (x, y, radius))) or radius < 0:
            faults.append(f"circle {number}: x {x:g}, y {y:g}, radius {radius:g} are no circle")
        elif min(x, y, 1 - x, 1 - y) < radius - TOLERANCE:
            faults.append(f"circle {number} reaches out of the square")
        for other, (u, v, size) in enumerate(circles[:number]):
            if math.hypot(x - u, y - v) < radius + size - TOLERANCE:
                faults.append(f"circles {other} and {number} overlap")
    return faults


def described(circles):
    """The smallest circles, which a better program would make larger."""
    smallest = sorted(range(CIRCLES), key=lambda number: circles[number][2])[:5]
    return ["the smallest circles:"] + [
        "circle {}: x {:.3f}, y {:.3f}, radius {:.4f}".format(number, *circles[number]) for number in smallest
    ]
