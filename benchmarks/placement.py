"""Figures of the placement documentation.

    python benchmarks/placement.py proofs      how many shipped references are proven, how tight the rest is
    python benchmarks/placement.py community   optimum and bounds of the community's placement benchmark
    python benchmarks/placement.py rates       cost against request rate, and docs/problems/gpu-fleet.svg

The tables of baselines are `gapsmith baselines NAME`.
"""

from __future__ import annotations

import argparse
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from gapsmith.evaluators import placement
from gapsmith.evaluators.base import ReferenceKind
from gapsmith.problems.base import Instance
from gapsmith.problems.placement.fleet_laws import draw
from gapsmith.problems.placement.gpus import PAPER_LIST
from gapsmith.problems.strata import stream

DOCS = Path(__file__).resolve().parents[1] / "docs"
SETS = {
    "model_placement": ("train", "valid", "test", "community", "large"),
    "gpu_fleet": ("train", "valid", "test"),
    "gpu_fleet_aggregate": ("train", "valid", "test"),
    "expert_placement": ("train", "valid", "test", "next-step"),
}
RATES = (1, 2, 4, 8, 16, 32)
PUBLISHED = (30.52, 26.37, 26.27)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figure", choices=("proofs", "community", "rates"))
    {"proofs": proofs, "community": community, "rates": rates}[parser.parse_args().figure]()


def proofs() -> None:
    """Prints, per problem and set, how many references are optima and how far solutions are above bounds."""
    print(f"{'problem':20} {'set':10} {'instances':>9} {'optima':>7} {'largest gap of a bound':>23}")
    for name, sets in SETS.items():
        problem = getattr(placement, name).problem()
        for label in sets:
            found = [getattr(placement, name).references.shipped(i) for i in problem.instances(label, 1)]
            known = [reference for reference in found if reference is not None]
            optima = sum(reference.kind is ReferenceKind.OPTIMUM for reference in known)
            gaps = [m[1] for r in known if (m := re.search(r"known ([\d.]+)% above", r.source))]
            widest = f"{max(map(float, gaps)):.2f} %" if gaps else "-"
            print(f"{problem.name:20} {label:10} {len(found):9} {optima:7} {widest:>23}")


def community() -> None:
    """Prints what scores of the community's benchmark are possible."""
    plugin = placement.model_placement
    optima, means, kinds = Fraction(0), Fraction(0), set()
    instances = plugin.problem().instances("community", 1)
    for instance in instances:
        reference = plugin.references.compute(instance, 30)  # type: ignore[union-attr]
        kinds.add(reference.kind.value)
        public = instance.public
        free = public["gpus"] * public["memory"] - sum(public["sizes"])
        optima += Fraction(reference.value) / 2520
        means += Fraction(sum(public["rates"]), free) / 2520
    best, ceiling = 1 + len(instances) / float(optima), 1 + len(instances) / float(means)
    print(f"{len(instances)} instances, all references: {', '.join(sorted(kinds))}")
    print(f"mean of the largest pressures: optimum {float(optima) / len(instances):.6f}")
    print(f"score 1/mean + 1: perfect balance (arithmetic) {ceiling:.4f}, optimum (search) {best:.4f}")
    for score in PUBLISHED:
        verdict = (
            "above perfect balance"
            if score > ceiling
            else "above the optimum"
            if score > best + 0.005
            else "ok"
        )
        print(f"published {score:.2f}: {verdict}")


def rates() -> None:
    """Prints cost against rate for one workload over the paper's types, and draws it."""
    problem, rows = placement.gpu_fleet.problem(), {}
    names = [f"only {gpu.name}" for gpu in PAPER_LIST]
    rules = [
        "best-single-type",
        "cheapest-type",
        "cost-aware-first-fit",
        "best-subset",
        "best-subset-closing",
    ]
    for rate in RATES:
        public = workload(rate)
        costs: dict[str, float | None] = {}
        for number, name in enumerate(names):
            costs[name] = single(problem, public, number)
        for rule in rules:
            costs[rule] = cost(problem, problem.baselines()[rule], public)
        reference = placement.gpu_fleet.references.compute(instance_of(public), 50)  # type: ignore[union-attr]
        costs["optimum"] = float(reference.value)
        rows[rate] = costs
        kind = "" if reference.kind is ReferenceKind.OPTIMUM else " (bound)"
        print(rate, {name: None if c is None else round(c, 2) for name, c in costs.items()}, kind, flush=True)
    (DOCS / "problems" / "gpu-fleet.svg").write_text(picture(rows), "utf-8")


def workload(rate: int) -> dict[str, Any]:
    """Mixed traffic over the paper's four types at this rate; the same lengths at every rate."""
    for number in range(1_000):
        drawn = draw(rate, "mixed", True, stream(f"picture {number}"))
        served = {
            name for name, load in zip(drawn.hidden["gpus"], drawn.public["loads"][0], strict=True) if load
        }  # type: ignore[index]
        if served == {gpu.name for gpu in PAPER_LIST}:
            return dict(drawn.public)
    raise AssertionError("no draw over the paper's types")


def instance_of(public: dict[str, Any]) -> Instance:
    """The workload as an instance."""
    return Instance("picture", "picture", "picture", public, 1, "benchmarks/placement.py")


def single(problem: Any, public: dict[str, Any], number: int) -> float | None:
    """Dollars per hour with one type only, first fit; None if it cannot serve everything."""
    loads = [[row[number]] for row in public["loads"]]
    if any(row[0] is None for row in loads):
        return None
    one = {**public, "prices": [public["prices"][number]], "loads": loads}
    return cost(problem, problem.baselines()["best-single-type"], one)


def cost(problem: Any, source: str, public: dict[str, Any]) -> float:
    """Dollars per hour of a shipped program's fleet."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    answer = [list(gpu) for gpu in scope["rent"](**public)]
    return float(problem.verify(instance_of(public), answer).objective)


def picture(rows: dict[int, dict[str, float | None]]) -> str:
    """Cost over the optimum against rate, as SVG."""
    shown = [
        "only L4",
        "only A10G",
        "only A100-80GB",
        "only H100",
        "cheapest-type",
        "best-subset",
        "best-subset-closing",
    ]
    colours = ["#b8b8b8", "#8c8c8c", "#5f5f5f", "#333333", "#d98c00", "#0072b2", "#009e73"]
    width, height, left, top = 720, 380, 60, 30

    def x(rate: float) -> float:
        return left + 460 * math.log(rate / RATES[0]) / math.log(RATES[-1] / RATES[0])

    def y(ratio: float) -> float:
        return top + 300 - 300 * math.log(min(ratio, 4)) / math.log(4)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="12"><title>Cost over the optimum against request rate</title>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="18">cost ÷ optimum (cut at 4)</text>',
        f'<text x="{left + 180}" y="{height - 12}">requests per second</text>',
    ]
    for ratio in (1, 1.25, 1.5, 2, 3, 4):
        lines.append(f'<path d="M{left} {y(ratio):.1f}H{left + 460}" stroke="#e0e0e0"/>')
        lines.append(f'<text x="{left - 8}" y="{y(ratio) + 4:.1f}" text-anchor="end">{ratio:g}</text>')
    for rate in RATES:
        lines.append(f'<text x="{x(rate):.1f}" y="{top + 320}" text-anchor="middle">{rate}</text>')
    for place, (name, colour) in enumerate(zip(shown, colours, strict=True)):
        points = [(x(rate), y(c[name] / c["optimum"])) for rate, c in rows.items() if c[name] is not None]  # type: ignore[operator]
        path = " ".join(f"{'L' if k else 'M'}{a:.1f} {b:.1f}" for k, (a, b) in enumerate(points))
        lines.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]
        row = top + 20 + 20 * place
        lines.append(f'<path d="M540 {row}h20" stroke="{colour}" stroke-width="3"/>')
        label = name if points else f"{name} (cannot serve)"
        lines.append(f'<text x="566" y="{row + 4}">{label}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    main()
