"""Tables of docs/benchmarks/bin-packing.md: `python benchmarks/bin_packing.py PROBLEM SET-or-FILE…`.

For each set one Markdown table of all baselines: mean bins, bins above the proven optimum, excess in percent
of it (mean bins over mean optimum), 95 % interval of the mean bins above, wins / ties / losses by
instance against best fit (offline: best fit decreasing), CPU time. Options: `--seed N`, `--programs ID…`,
`--count N` (the first N instances).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median

import gapsmith.evaluators.bin_packing as plugins
from gapsmith.evaluators.base import Plugin, Score
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.evaluators.intervals import mean_interval
from gapsmith.problems.base import Instance, Problem, ReadsInstances
from gapsmith.sandbox.base import Limits
from gapsmith.sandbox.slot import Slot, open_sandbox

PROBLEMS = {
    "bin-packing": plugins.bin_packing,
    "online-bin-packing": plugins.online_bin_packing,
    "online-bin-packing-known-n": plugins.online_bin_packing_known_n,
}


def main() -> None:
    """Prints one table per set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problem", choices=PROBLEMS)
    parser.add_argument("sets", nargs="+", help="named sets, or files of instances")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", nargs="+", help="baselines to run; all by default")
    parser.add_argument("--count", type=int, help="instances of each set; all by default")
    options = parser.parse_args()
    plugin = PROBLEMS[options.problem]
    problem = plugin.problem()
    rules = {
        k: v for k, v in problem.baselines().items() if options.programs is None or k in options.programs
    }
    with open_sandbox() as slot:
        for name in options.sets:
            instances = draw(problem, name, options.seed)[: options.count]
            print(table(plugin, problem, name, instances, rules, slot), flush=True)


def draw(problem: Problem, name: str, seed: int) -> Sequence[Instance]:
    """Instances of a named set, or of a file."""
    path = Path(name)
    if path.suffix and isinstance(problem, ReadsInstances):
        return problem.read_instances(path)
    return problem.instances(name, seed)


def table(
    plugin: Plugin,
    problem: Problem,
    name: str,
    instances: Sequence[Instance],
    rules: dict[str, str],
    slot: Slot,
) -> str:
    """A Markdown table of the rules on one set."""
    references = plugin.references
    assert references is not None
    evaluator = GapEvaluator(
        problem,
        {name: instances},
        lambda instance: references.reference(instance, 60.0),
        limits=Limits(cpu_seconds=20.0),
        seed=1,
        policy="benchmark",
    )
    scores = {
        rule: evaluator.evaluate(evaluator.program({"heuristic.py": text}), name, slot).scores
        for rule, text in rules.items()
    }
    optimum = mean(float(r.value) for r in evaluator.references.values())
    proven = sum(r.kind.value == "optimum" for r in evaluator.references.values())
    standard = "best-fit-decreasing" if "best-fit-decreasing" in rules else "best-fit"
    lines = [
        f"\n### {Path(name).name}: {len(instances)} instances, "
        f"mean optimum {optimum:.2f} ({proven} proven)\n",
        "| rule | bins | above optimum [95 %] | excess % | wins / ties / losses | CPU ms |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    return "\n".join([*lines, *(row(rule, scores, standard, optimum) for rule in scores)])


def row(rule: str, scores: dict[str, tuple[Score, ...]], standard: str, optimum: float) -> str:
    """One line of the table; a rule that fails anywhere says so."""
    own = scores[rule]
    if any(s.objective is None for s in own):
        return f"| {rule} | failed: {own[-1].status}: {own[-1].message} |"
    bins = [float(s.objective) for s in own if s.objective is not None]
    above = [float(s.excess) for s in own if s.excess is not None]
    interval = mean_interval(above)
    spread = "" if interval is None else f" [{interval[0]:.2f}, {interval[1]:.2f}]"
    pairs = [
        (float(a.objective), float(b.objective)) for a, b in zip(own, scores.get(standard, own), strict=True)
    ]
    wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    record = "–" if rule == standard else f"{wins} / {len(pairs) - wins - losses} / {losses}"
    excess = 100 * mean(above) / optimum
    time = 1000 * median(s.cpu_seconds for s in own)
    return f"| {rule} | {mean(bins):.2f} | {mean(above):.2f}{spread} | {excess:.2f} | {record} | {time:.0f} |"


if __name__ == "__main__":
    main()
