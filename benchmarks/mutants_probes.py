"""What a module proves or says of a fresh small instance, as JSON: a harmless mutant changes none of it.

python benchmarks/mutants_probes.py PATH SEED NUMBER     one line for each instance
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any


def _distances(stream: random.Random, count: int) -> list[list[int]]:
    """Nodes in three crowds."""
    middles = [(stream.randrange(900), stream.randrange(900)) for _ in range(3)]
    points = []
    for node in range(count):
        points.append(
            (middles[node % 3][0] + stream.randrange(250), middles[node % 3][1] + stream.randrange(250))
        )
    return [[round(math.hypot(a - c, b - d)) for c, d in points] for a, b in points]


def solved(model: Any) -> list[Any]:
    """Status and objective of a small model of CP-SAT, solved in this process."""
    from ortools.sat.python import cp_model

    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    return [int(status), round(solver.objective_value)]


def shops(stream: random.Random) -> Any:
    """Least makespans of a shop with and without buffers, one with a deadline, and the bound."""
    from gapsmith.evaluators.shops.models import arithmetic_bound, shop_model

    machines = stream.randint(1, 3)
    routes = [stream.sample(range(machines), machines) for _ in range(stream.randint(1, 4))]
    times = [[stream.randint(1, 30) for _ in route] for route in routes]
    public = {"machines": machines, "routes": routes, "times": times}
    found: list[Any] = [arithmetic_bound(public)]
    for blocking in (False, True):
        found.append(solved(shop_model(public, blocking=blocking, least=found[0]).model))
        deadline = stream.randint(found[0] - 1, found[0] + 30)
        found.append(solved(shop_model(public, blocking=blocking, deadline=deadline).model)[0])
    return found


def graphs(stream: random.Random) -> Any:
    """Least makespan of a task graph, one with a deadline, and the bound."""
    from gapsmith.evaluators.graphs.models import arithmetic_bound, graph_model

    tasks = stream.randint(1, 6)
    times = [[stream.randint(1, 20), stream.choice((None, stream.randint(1, 20)))] for _ in range(tasks)]
    edges = [[i, k, stream.randint(0, 9)] for k in range(tasks) for i in range(k) if stream.random() < 0.4]
    public = {"times": times, "edges": edges}
    least = arithmetic_bound(public)
    deadline = stream.randint(least - 1, least + 20)
    return [
        least,
        solved(graph_model(public, least=least).model),
        solved(graph_model(public, deadline=deadline).model)[0],
    ]


def offsets(stream: random.Random) -> Any:
    """Verdicts on drawn offsets, and loads."""
    from gapsmith.problems.memory.verification import judge, largest_load, overlap

    rows = []
    for _ in range(stream.randint(1, 7)):
        start = stream.randint(0, 8)
        rows.append([start, start + stream.randint(1, 5), stream.randint(1, 6)])
    answer = [stream.randint(0, 20) for _ in rows]
    pair = overlap(rows, answer)
    verdict = judge({"buffers": rows}, answer)
    return [largest_load(rows), pair and sorted(pair), verdict.status, verdict.objective]


def tours(stream: random.Random) -> Any:
    """Proven bound and length, from a poor start and with one to spare."""
    from gapsmith.evaluators.classics.tour_proof import certified

    count = stream.randint(3, 13)
    distances = _distances(stream, count)
    first = certified({"distances": distances}, 60.0, stream.sample(range(count), count), 500)
    again = certified({"distances": distances}, 60.0, first["answer"], 1)
    return [[one["bound"], one["value"]] for one in (first, again)]


def _customers(stream: random.Random) -> dict[str, Any]:
    count = stream.randint(5, 10)
    demands = [0, *(stream.randint(1, 9) for _ in range(count))]
    return {
        "distances": _distances(stream, count + 1),
        "demands": demands,
        "capacity": stream.randint(10, 18),
    }


def routes(stream: random.Random) -> Any:
    """Proven bound and length of routes, with one to spare."""
    from gapsmith.evaluators.classics.route_proof import certified

    public = _customers(stream) | {"coordinates": []}
    alone = [[customer] for customer in range(1, len(public["demands"]))]
    first = certified(public, 60.0, alone, 0)
    again = certified(public, 60.0, first["answer"], 1)
    return [[one["bound"], one["value"]] for one in (first, again)]


def edges_of_routes(stream: random.Random) -> Any:
    """The bound of capacity cuts."""
    from gapsmith.evaluators.classics.capacity_cuts import capacity_bound

    public = _customers(stream)
    alone = [[customer] for customer in range(1, len(public["demands"]))]
    return capacity_bound(public, alone, time.monotonic() + 60)


def prizes(stream: random.Random) -> Any:
    """Proven bound and prize, from nothing and with one to spare."""
    from gapsmith.evaluators.classics.prize_proof import certified

    count = stream.randint(4, 12)
    distances = _distances(stream, count)
    public = {"distances": distances, "prizes": [0, *(stream.randint(1, 30) for _ in range(count - 1))]}
    public |= {"max_length": round(stream.uniform(0.3, 1.1) * sum(distances[0]) / 3 + 300), "coordinates": []}
    first = certified(public, 60.0, [], 0)
    again = certified(public, 60.0, first["answer"], 1)
    return [[one["bound"], one["value"]] for one in (first, again)]


def latencies(stream: random.Random) -> Any:
    """Bounds of drawn prices and of the programme's."""
    from gapsmith.evaluators.serving.bound import UNIT, best_prices, evaluate

    count = stream.randint(1, 9)
    whole = {
        "workers": stream.randint(1, 2),
        "memory": 40,
        "arrivals": sorted(stream.randrange(6) for _ in range(count)),
        "prompts": [stream.randint(2, 16) for _ in range(count)],
        "outputs": [stream.randint(1, 6) for _ in range(count)],
    }
    prices = [stream.choice((0, UNIT // 8, UNIT)) for _ in range(stream.randint(0, 12))]
    return [evaluate(whole, prices), evaluate(whole, best_prices(whole, 30.0))]


def tardiness(stream: random.Random) -> Any:
    """Optima and bounds of each method."""
    from gapsmith.evaluators.smtt import bounds, decomposition, relaxation, subsets
    from gapsmith.evaluators.smtt.search import cost_of

    count = stream.randint(2, 9)
    public: dict[str, Any] = {"processing_times": [stream.randint(1, 20) for _ in range(count)]}
    total = sum(public["processing_times"])
    public["due_dates"] = [stream.randint(0, round(0.8 * total)) for _ in range(count)]
    plain = decomposition.Decomposition(public["processing_times"], public["due_dates"])
    found: list[Any] = [plain.value(), cost_of(public, plain.sequence()), subsets.subset_optimum(public)]
    if stream.random() < 0.5:
        public["weights"] = [stream.randint(1, 9) for _ in range(count)]
    order = stream.sample(range(count), count)
    proof = relaxation.prove(public, order, 60.0, stream.randint(0, 1))
    return [
        *found,
        bounds.price_bound(public, order),
        bounds.sorted_bound(public),
        proof.bound,
        proof.optimal,
    ]


def pipelines(stream: random.Random) -> Any:
    """The bound of a pipeline."""
    from gapsmith.evaluators.training.pipeline_bound import lower_bound

    count = stream.randint(1, 12)
    samples = [[stream.randint(0, 2), stream.randint(0, 2), stream.randint(1, 512)] for _ in range(count)]
    times = [stream.randint(0, 9), stream.randint(0, 9), stream.randint(0, 9), stream.randint(1, 9)]
    public = {
        "stages": stream.randint(1, 5),
        "capacity": 512,
        "tile": 128,
        "times": times,
        "samples": samples,
    }
    return lower_bound(public)


def bins(stream: random.Random) -> Any:
    """Bounds of bins, and the optimum with its certificate checked."""
    from gapsmith.evaluators.bin_packing import bounds
    from gapsmith.evaluators.bin_packing.certify import certify

    capacity = stream.choice((10, 50, 100))
    sizes = [stream.randint(1, capacity) for _ in range(stream.randint(1, 25))]
    counts = Counter(sizes)
    proof = certify(sizes, capacity, 20.0)
    weights = {size: stream.randint(0, 9) + 1 for size in counts}
    weighed = bounds.weight_bound(counts, capacity, weights)
    return [bounds.martello_toth_bound(counts, capacity), weighed, str(proof.bound)]


def pressures(stream: random.Random) -> Any:
    """The optimum of model placement, and whether weights fit bins."""
    bin_completion = import_module("gapsmith.evaluators.placement.bin_completion")
    model_placement = import_module("gapsmith.evaluators.placement.model_placement")
    sizes = [stream.randint(5, 25) for _ in range(stream.randint(3, 8))]
    public = {"gpus": 3, "memory": 80, "sizes": sizes, "rates": [stream.randint(1, 999) for _ in sizes]}
    reference = model_placement.solve(public, 60.0)
    target = Fraction(reference.value) * Fraction(stream.randint(90, 130), 100)
    below = solved(model_placement.below_model(public, target)[0])
    weights = [stream.randint(4, 30) for _ in range(9)]
    fits = [bin_completion.pack(weights, bins, 40, time.monotonic() + 60) is None for bins in range(1, 7)]
    return [reference.kind, str(reference.value), below, fits]


def fleets(stream: random.Random) -> Any:
    """Least prices of whole and of pooled GPUs, and of a fleet that is given."""
    from gapsmith.evaluators.placement import fleet_models
    from gapsmith.evaluators.placement.fleet_packing import construct, fleet_price

    loads: list[list[int | None]] = []
    for _ in range(stream.randint(1, 3)):
        loads.append([stream.randint(100, 700), stream.choice((None, stream.randint(100, 700)))])
    public = {"prices": [stream.randint(3, 12) * 1000, stream.randint(3, 12) * 1000], "loads": loads}
    public |= {"slices": [stream.randint(1, 4) for _ in loads], "capacity": 1000}
    start = construct(public)
    rented = [sum(kind == t for kind, _ in start) for t in (0, 1)]
    return [
        solved(fleet_models.packing_model(public, start, 0)[0]),
        solved(fleet_models.packing_model(public, start, 0, rented)[0]),
        solved(fleet_models.exact_pooled_model(public, fleet_price(public, start))[0]),
    ]


def plans(stream: random.Random) -> Any:
    """The optimum of unrelated machines over subsets and by circuits, and the arithmetic bound."""
    from gapsmith.evaluators.shops import unrelated_machines

    machines, jobs = stream.randint(1, 3), stream.randint(2, 6)
    longest = stream.choice((1, 9, 99))
    public = {"times": [[stream.randint(0, 20) for _ in range(jobs)] for _ in range(machines)]}
    public["setups"] = [
        [[stream.randint(0, longest) for _ in range(jobs)] for _ in range(jobs)] for _ in range(machines)
    ]
    found = [unrelated_machines.solve(public, 60.0, None), unrelated_machines.searched(public, 60.0)]
    return [unrelated_machines.arithmetic_bound(public), *([one.bound, one.value] for one in found)]


def steps(stream: random.Random) -> Any:
    """Least time of a small step in both models."""
    import pulp
    from gapsmith.evaluators.training.packing_models import cpsat_model, mip_model

    lengths = [
        stream.choice((stream.randint(1, 60), stream.randint(60, 190))) for _ in range(stream.randint(1, 4))
    ]
    times = []
    for length in lengths:
        row = [-(-(length + length * length // 40) // degree) + 9 * (degree - 1) for degree in (1, 2)]
        times.append(
            [time if length <= 100 * degree else 0 for degree, time in zip((1, 2), row, strict=True)]
        )
    public = {"devices": stream.choice((2, 3)), "capacity": 100, "overhead": stream.randint(0, 90)}
    public |= {"degrees": [1, 2], "lengths": lengths, "times": times}
    most = -(-sum(lengths) // (100 * public["devices"])) + 1
    programme = mip_model(public, most)[0]
    programme.solve(pulp.HiGHS(msg=False, gapRel=0))
    return [solved(cpsat_model(public, most)[0]), programme.status, round(pulp.value(programme.objective))]


def numbers(stream: random.Random) -> Any:
    """Comparisons of two numbers."""
    from gapsmith.evaluators import numbers as said

    kinds: list[Callable[[], Any]] = [
        lambda: stream.randint(-9, 9),
        lambda: Fraction(stream.randint(-30, 30), stream.randint(1, 9)),
        lambda: stream.uniform(-9, 9),
        lambda: stream.choice((10**300, 10**301, -(10**300), Fraction(1, 10**1001), True, 0)),
    ]
    one = stream.choice(kinds)()
    other = stream.choice(kinds[:3])()
    found: list[Any] = [said.scorable(one), said.written(one)]
    if said.scorable(one):
        for minimise in (False, True):
            found += [said.better_than(one, other, minimise, 0.1), said.far_beyond(one, other, minimise)]
        found += [said.equal(one, other, 0.1), str(said.subtract(one, other))]
    return found


def tolerances(stream: random.Random) -> Any:
    """Why a solver's floats cannot tell the points of a drawn model apart, where they cannot."""
    from gapsmith.evaluators.toolbox.tolerances import beyond_tolerances

    columns = [[0, 0, None, stream.random() < 0.8] for _ in range(stream.randint(1, 5))]
    rows = []
    for _ in range(stream.randint(1, 3)):
        used = stream.sample(range(len(columns)), stream.randint(1, len(columns)))
        reach = stream.choice((1, 10**6, 10**8, 10**9))
        sides = [stream.choice((None, stream.randint(-reach, reach))) for _ in range(2)]
        scale = stream.choice((1, 0.25))
        rows.append([*sides, used, [scale * stream.randint(1, reach) for _ in used]])
    return beyond_tolerances({"columns": columns, "rows": rows})


def intervals(stream: random.Random) -> Any:
    """The interval of a skewed sample with zeros."""
    from gapsmith.evaluators.intervals import mean_interval

    values = [
        stream.choice((0.0, stream.gauss(1, 1), stream.expovariate(1))) for _ in range(stream.randint(2, 40))
    ]
    ends = mean_interval(values, stream.choice((0.5, 0.9, 0.95)))
    return None if ends is None else [float(f"{end:.9g}") for end in ends]


PROBES: dict[str, Callable[[random.Random], Any]] = {
    "evaluators/classics/tour_proof.py": tours,
    "evaluators/classics/cuts.py": lambda stream: [tours(stream), prizes(stream)],
    "evaluators/classics/route_proof.py": routes,
    "evaluators/classics/customer_sets.py": routes,
    "evaluators/classics/capacity_cuts.py": edges_of_routes,
    "evaluators/classics/prize_proof.py": prizes,
    "evaluators/serving/": latencies,
    "evaluators/smtt/": tardiness,
    "evaluators/training/pipeline_bound.py": pipelines,
    "evaluators/bin_packing/": bins,
    "evaluators/placement/model_placement.py": pressures,
    "evaluators/placement/bin_completion.py": pressures,
    "evaluators/placement/fleet_models.py": fleets,
    "evaluators/training/packing_models.py": steps,
    "evaluators/shops/models.py": shops,
    "evaluators/shops/unrelated_machines.py": plans,
    "evaluators/graphs/models.py": graphs,
    "problems/memory/verification.py": offsets,
    "evaluators/numbers.py": numbers,
    "evaluators/toolbox/tolerances.py": tolerances,
    "evaluators/intervals.py": intervals,
}
"""By the module's path, or the beginning of the path."""


def main() -> None:
    """Prints what the module says of fresh instances."""
    path, seed, number = sys.argv[1:]
    probe = next(probe for begin, probe in PROBES.items() if path.startswith(begin))
    for instance in range(int(number)):
        print(json.dumps(probe(random.Random(f"{seed} {instance}"))))


if __name__ == "__main__":
    main()
