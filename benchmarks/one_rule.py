"""One online packing rule on many laws, paired with best fit and Sum-of-Squares on the same sequences.

    python benchmarks/one_rule.py gallery/online-packing/found.py --seeds 3-4

Prints one Markdown row a law: mean gaps in percent of the proven optimum, the difference to the better of the
two textbook rules (the one with the smaller mean there) and the two-sided p value of a sign-flip test over
instances. Nothing is trained: the program is evaluated as it is, with 10 CPU-seconds an execution.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import gapsmith.evaluators.bin_packing as plugins
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.evaluators.statistics import sign_flip
from gapsmith.problems.base import Instance
from gapsmith.sandbox.base import Limits
from gapsmith.sandbox.slot import Slot, open_sandbox

LAWS = ("u120", "u250", "u500", "u1000", "weibull-1k", "weibull-5k", "uniform", "beta")
TEXTBOOK = ("best-fit", "sum-of-squares")
LEVEL = 0.05
"""p value from which on a difference is noise (probability)."""


def main() -> None:
    """Prints the table and how many laws the rule is better and worse on."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", type=Path, help="a Python file with the entry point of online-bin-packing")
    parser.add_argument("laws", nargs="*", default=LAWS, help=f"named sets [default: {' '.join(LAWS)}]")
    parser.add_argument("--seeds", default="3-4", help="first-last, of the draws of instances [default: 3-4]")
    options = parser.parse_args()
    first, last = (int(word) for word in options.seeds.split("-"))
    problem = plugins.online_bin_packing.problem()
    baselines = problem.baselines()
    texts = {"rule": options.program.read_text("utf-8")} | {name: baselines[name] for name in TEXTBOOK}
    print(
        "| law | instances | rule % | best fit % | Sum-of-Squares % | to the better, points | p | verdict |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---|")
    verdicts = []
    with open_sandbox() as slot:
        for law in options.laws:
            draws = [problem.instances(law, seed) for seed in range(first, last + 1)]
            each = [gaps(law, draw, texts, slot) for draw in draws]
            line, verdict = row(law, {name: [gap for one in each for gap in one[name]] for name in texts})
            verdicts.append(verdict)
            print(line, flush=True)
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in ("better", "undecided", "worse"))
    print(f"\nAgainst the better of the two (p < {LEVEL}), of {len(verdicts)} laws: {counts}.")


def gaps(law: str, draw: Sequence[Instance], texts: dict[str, str], slot: Slot) -> dict[str, list[float]]:
    """Gaps (percent of the proven optimum) of each program on each instance of a draw."""
    references = plugins.online_bin_packing.references
    assert references is not None
    evaluator = GapEvaluator(
        plugins.online_bin_packing.problem(),
        {law: draw},
        lambda instance: references.reference(instance, 60.0),
        limits=Limits(cpu_seconds=10.0),
        seed=1,
        policy="benchmark",
    )
    found: dict[str, list[float]] = {}
    for name, text in texts.items():
        scores = evaluator.evaluate(evaluator.program({"heuristic.py": text}), law, slot).scores
        failure = next((score for score in scores if score.gap is None), None)
        if failure is not None:
            raise SystemExit(f"{name} fails on {failure.instance}: {failure.status}: {failure.message}")
        found[name] = [100 * float(score.gap) for score in scores if score.gap is not None]
    return found


def row(law: str, gaps: dict[str, list[float]]) -> tuple[str, str]:
    """A line of the table, and whether the rule is better, undecided or worse."""
    better = min(TEXTBOOK, key=lambda name: fmean(gaps[name]))
    differences = [mine - its for mine, its in zip(gaps["rule"], gaps[better], strict=True)]
    p = sign_flip(differences)
    verdict = "undecided" if p >= LEVEL else "better" if fmean(differences) < 0 else "worse"
    means = " | ".join(f"{fmean(values):.2f}" for values in gaps.values())
    return (
        f"| {law} | {len(differences)} | {means} | {fmean(differences):+.2f} "
        f"| {'< 0.0001' if p < 1e-4 else f'{p:.4f}'} | {verdict} |"
    ), verdict


if __name__ == "__main__":
    main()
