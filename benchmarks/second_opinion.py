"""PyVRP's routes beside the references of `cvrp` (extra `routing`).

    python benchmarks/second_opinion.py test
    python benchmarks/second_opinion.py literature-50 --iterations 5000

PyVRP (Wouda, Lan and Kool 2024, doi:10.1287/ijoc.2023.0055) searches and proves nothing: its routes never
make a reference an optimum. Prints for each instance the reference and the length of PyVRP's routes as `cvrp`
verifies them, then how many lie below a proven bound (none may), at it, and above it.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Mapping
from typing import Any

from gapsmith.app.plugins.loader import load_problem

ITERATIONS = 2_000


def main() -> None:
    """Reads the command line and prints the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set")
    parser.add_argument("--iterations", type=int, default=ITERATIONS, help="of PyVRP, on each instance")
    arguments = parser.parse_args()
    loaded = load_problem("cvrp")
    assert loaded.references is not None
    gaps = []
    for instance in loaded.problem.instances(arguments.set, 1):
        reference = loaded.references.reference(instance, 60)
        verdict = loaded.problem.verify(instance, routes(instance.public, arguments.iterations))
        assert verdict.objective is not None, verdict.violations
        gaps.append(100 * (float(verdict.objective) / float(reference.value) - 1))
        print(f"{instance.id:18} {reference.kind:8} {reference.value:9} {verdict.objective:9}", flush=True)
    below, above = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)
    print(f"{below} below, {len(gaps) - below - above} at, {above} above; mean {statistics.mean(gaps):.2f} %")


def routes(public: Mapping[str, Any], iterations: int) -> list[list[int]]:
    """PyVRP's routes of an instance; repeatable, one thread."""
    import pyvrp
    from pyvrp.stop import MaxIterations

    model = pyvrp.Model()
    points = public["coordinates"] or [(0, 0)] * len(public["demands"])
    places = [model.add_location(x, y) for x, y in points]
    depot = model.add_depot(places[0])
    for place, demand in zip(places[1:], public["demands"][1:], strict=True):
        model.add_client(place, delivery=demand)
    count = len(public["demands"]) - 1
    model.add_vehicle_type(count, capacity=public["capacity"], start_depot=depot, end_depot=depot)
    for a, row in enumerate(public["distances"]):
        for b, distance in enumerate(row):
            model.add_edge(places[a], places[b], distance=distance)
    result = model.solve(MaxIterations(iterations), seed=1, display=False)
    return [[visit.idx + 1 for visit in route if visit.is_client()] for route in result.best.routes()]


if __name__ == "__main__":
    main()
