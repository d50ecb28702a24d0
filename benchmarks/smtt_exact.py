"""Times the exact and bounding methods of total tardiness.

python benchmarks/smtt_exact.py decomposition          n = 20, 50, 100, 200 of the fixed sets
python benchmarks/smtt_exact.py methods --jobs 15      every method on one instance of each of 20 strata
python benchmarks/smtt_exact.py bounds                 bounds where n = 500 has no proven optimum
python benchmarks/smtt_exact.py or-library FOLDER      OR-Library's listed values on your copy
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

from gapsmith.evaluators.smtt import smtt, smwtt
from gapsmith.evaluators.smtt.bounds import price_bound, sorted_bound
from gapsmith.evaluators.smtt.decomposition import Decomposition, DecompositionLimit
from gapsmith.evaluators.smtt.relaxation import prove
from gapsmith.evaluators.smtt.search import cost_of, search
from gapsmith.evaluators.smtt.subsets import subset_optimum
from gapsmith.evaluators.toolbox import solve_cpsat, solve_mip
from smtt_models import big_m_model, interval_model, linear_bound, positional_model

Found = tuple[int | None, int | float | None]
LISTED = {"wt40.txt": "wtopt40.txt", "wt50.txt": "wtopt50.txt", "wt100.txt": "wtbest100b.txt"}
"""OR-Library's files of weighted instances → its files of their optimal or best known values."""

LIMITS = (1, 2, 4, 8, 16, 30)
"""CPU times (milliseconds) for which the decomposition's solved instances are counted."""


def decomposition() -> None:
    """CPU seconds of the decomposition on the fixed sets."""
    for name in ("n=20", "n=50", "n=100", "n=200"):
        spent, unfinished = [], 0
        for instance in smtt.problem().instances(name, 0):
            started = time.process_time()
            try:
                Decomposition(**instance.public, seconds=120).value()
                spent.append(time.process_time() - started)
            except DecompositionLimit:
                unfinished += 1
        print(
            f"{name}: {len(spent)} solved, {unfinished} not in 120 s; CPU ms mean {1e3 * mean(spent):.2f}, "
            f"median {1e3 * median(spent):.2f}, max {1e3 * max(spent):.1f}; solved within "
            + ", ".join(f"{limit} ms {sum(1e3 * one <= limit for one in spent)}" for limit in LIMITS),
            flush=True,
        )


def methods(jobs: int, seconds: float) -> None:
    """Optimum or bound and wall seconds of each method."""

    def relaxation(public: Any) -> Found:
        _, sequence = search(public, 100, time.monotonic() + seconds / 2)
        proof = prove(public, sequence, seconds)
        return (proof.bound if proof.optimal else None), proof.bound

    def mip(model: Any, solver: Any = "highs") -> Found:
        solved = solve_mip(model, seconds=seconds, integral_objective=True, solver=solver)
        return (int(solved.value or 0) if solved.status == "optimum" else None), solved.bound

    def cpsat(public: Any) -> Found:
        solved = solve_cpsat(interval_model(public), seconds=seconds)
        return (int(solved.value or 0) if solved.status == "optimum" else None), solved.bound

    table: dict[str, Callable[[Any], Found]] = {
        "Lawler decomposition": lambda public: (Decomposition(**public).value(),) * 2,
        "start-time relaxation": relaxation,
        "subset programme": lambda public: (subset_optimum(public),) * 2 if jobs <= 20 else (None, None),
        "positional MIP, HiGHS": lambda public: mip(positional_model(public)),
        "positional MIP, CBC": lambda public: mip(positional_model(public), "cbc"),
        "big-M MIP with cut, CBC": lambda public: mip(big_m_model(public), "cbc"),
        "big-M MIP, CBC": lambda public: mip(big_m_model(public, cut=False), "cbc"),
        "CP-SAT intervals": cpsat,
        "positional LP bound": lambda public: (None, linear_bound(public, seconds)),
        "sorted bound": lambda public: (None, sorted_bound(public)),
    }
    instances = smtt.problem(jobs=jobs, train_per_stratum=1).instances("train", 11)
    optima = {i.id: Decomposition(**i.public).value() for i in instances}
    for name, method in table.items():
        spent, solved, below = [], 0, []
        for instance in instances:
            optimum = optima[instance.id]
            started = time.monotonic()
            value, bound = method(instance.public)
            spent.append(time.monotonic() - started)
            solved += value == optimum
            if (value is not None and value != optimum) or (bound is not None and bound > optimum):
                print(f"  DISAGREES: {name} {instance.id} says {value}, {bound}; optimum {optimum}")
            if optimum:
                below.append((bound or 0) / optimum)
        print(
            f"{name:24s} proved {solved:2d} of {len(instances)}; bound {100 * mean(below):5.1f} % of the "
            f"optimum; wall s mean {mean(spent):.3f}, max {max(spent):.2f}",
            flush=True,
        )


def or_library(folder: Path, seconds: float) -> None:
    """Listed values that a search undercuts or reaches, and those that a shipped optimum contradicts."""
    problem: Any = smwtt.problem()
    for name, listed in LISTED.items():
        if not (folder / name).is_file():
            print(f"{name}: not in {folder}")
            continue
        values = map(int, (folder / listed).read_text().split())
        below, reached, proven = 0, 0, 0
        instances = problem.read_instances(folder / name)
        for instance, value in zip(instances, values, strict=True):
            found, _ = search(instance.public, 250, time.monotonic() + seconds)
            below += found < value
            reached += found == value
            shipped = smwtt.references.shipped(instance)  # type: ignore[union-attr]
            if shipped is not None:
                proven += 1
                if shipped.value != value:
                    print(f"  {instance.id}: listed {value}, shipped {shipped.kind} {shipped.value}")
        print(
            f"{name}: of {len(instances)} listed values the search undercuts {below} and reaches {reached}; "
            f"{proven} have a shipped reference",
            flush=True,
        )


def bounds() -> None:
    """Bounds of the instances of n=500 without a proven optimum, percent of the shipped sequence's cost."""
    rows: dict[str, list[float]] = {"sorted bound": [], "prices of a sequence": [], "shipped": []}
    spent = []
    for instance in smtt.problem().instances("n=500", 0):
        certificate = smtt.references.certificate(instance)  # type: ignore[union-attr]
        if certificate is None or certificate.answer is None or certificate.optimal:
            continue
        reference = certificate.reference
        sequence = certificate.answer
        cost, started = cost_of(instance.public, sequence), time.process_time()
        rows["prices of a sequence"].append(100 * price_bound(instance.public, sequence) / cost)
        spent.append(time.process_time() - started)
        rows["sorted bound"].append(100 * sorted_bound(instance.public) / cost)
        rows["shipped"].append(100 * float(reference.value) / cost)
    for name, found in rows.items():
        print(f"{name}: {min(found):.1f} to {max(found):.1f} %, mean {mean(found):.1f} %, {len(found)} rows")
    print(f"prices of a sequence: CPU ms mean {1e3 * mean(spent):.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Exact methods of total tardiness.")
    parser.add_argument("what", choices=["decomposition", "methods", "bounds", "or-library"])
    parser.add_argument("folder", nargs="?", type=Path, default=Path("."))
    parser.add_argument("--jobs", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=20.0)
    options = parser.parse_args()
    if options.what == "decomposition":
        decomposition()
    elif options.what == "bounds":
        bounds()
    elif options.what == "or-library":
        or_library(options.folder, options.seconds)
    else:
        methods(options.jobs, options.seconds)
