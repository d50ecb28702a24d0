"""Checks on our own instances what is wrong in the study of arXiv 2510.24013 (docs/problems/smtt.md).

python benchmarks/smtt_study.py            all checks, about two minutes
python benchmarks/smtt_study.py pairing    one of: eddc normal pairing cut noise
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from itertools import accumulate
from statistics import mean
from typing import Any

import numpy as np
from gapsmith.evaluators.intervals import mean_interval
from gapsmith.evaluators.smtt import smtt
from gapsmith.evaluators.smtt.subsets import subset_optimum
from gapsmith.problems.base import Instance
from gapsmith.problems.smtt.verification import total_tardiness

Public = dict[str, list[int]]


def program(name: str) -> Callable[..., list[int]]:
    """One of our own baselines as a function."""
    scope: dict[str, Any] = {}
    exec(smtt.problem().baselines()[name], scope)
    return scope["schedule"]  # type: ignore[no-any-return]


def named(name: str) -> list[tuple[Instance, int]]:
    """Instances of a fixed set with their optima."""
    found = []
    for instance in smtt.problem().instances(name, 0):
        reference = smtt.references.shipped(instance)  # type: ignore[union-attr]
        if reference is not None and reference.kind == "optimum":
            found.append((instance, int(reference.value)))
    return found


def figures(values: Sequence[int], optima: Sequence[int]) -> str:
    """Mean of ratios over positive optima and ratio of sums, percent."""
    ratios = [v / o - 1 for v, o in zip(values, optima, strict=True) if o]
    sums = sum(values) / sum(optima) - 1
    return f"mean of ratios {100 * mean(ratios):8.2f} %   ratio of sums {100 * sums:6.2f} %"


def printed_eddc(public: Public) -> list[int]:
    """The algorithm as printed: from due-date order, exchange while d[S_j] < d[S_(j-1)]."""
    p, d = public["processing_times"], public["due_dates"]
    order = sorted(range(len(d)), key=lambda j: (d[j], p[j]))
    for i in range(1, len(order)):
        j = i
        while j > 0 and d[order[j]] < d[order[j - 1]]:
            if d[order[j - 1]] > sum(p[k] for k in order[:i]):
                order[j - 1], order[j] = order[j], order[j - 1]
            j -= 1
    return order


def eddc() -> None:
    """The printed EDDC is EDD: after a sort by due date its loop never runs."""
    rows: dict[str, list[int]] = {"EDD": [], "EDDC as printed": [], "EDDC as it works": []}
    same, optima = 0, []
    for instance, optimum in named("n=20"):
        public = dict(instance.public)
        orders = [program("edd")(**public), printed_eddc(public), program("eddc")(**public)]
        same += orders[0] == orders[1]
        optima.append(optimum)
        for values, order in zip(rows.values(), orders, strict=True):
            values.append(total_tardiness(public, order))
    print(f"n=20: printed EDDC gives the sequence of EDD on {same} of {len(optima)} instances")
    for name, values in rows.items():
        print(f"  {name:18s} {figures(values, optima)}")


def lawler(jobs: list[tuple[int, int]], clock: int) -> int:
    """Lawler's theorem as it stands, jobs (due date, length) in due-date order, no elimination."""
    if not jobs:
        return 0
    longest = max(range(len(jobs)), key=lambda k: (jobs[k][1], k))
    due, found = jobs[longest][0], []
    for r in range(longest, len(jobs)):
        before, after = jobs[:longest] + jobs[longest + 1 : r + 1], jobs[r + 1 :]
        end = clock + jobs[longest][1] + sum(p for _, p in before)
        found.append(lawler(before, clock) + max(0, end - due) + lawler(after, end))
    return min(found)


def normal() -> None:
    """A normal sample without truncation holds processing times ≤ 0, where the theory does not apply."""
    stream = random.Random(1)
    bad = wrong = wrong_elsewhere = 0
    instances = 800
    for _ in range(instances):
        times = [int(stream.gauss(60, 25)) for _ in range(10)]
        total = sum(times)
        dates = [int(stream.uniform(0.2 * total, 0.8 * total)) for _ in times]
        optimum = subset_optimum({"processing_times": times, "due_dates": dates})
        differs = lawler(sorted(zip(dates, times, strict=True)), 0) != optimum
        bad += min(times) <= 0
        wrong += differs and min(times) <= 0
        wrong_elsewhere += differs and min(times) > 0
    print(f"10 jobs, p from N(60, 25) cut to integers: {bad} of {instances} instances hold a p ≤ 0;")
    print(f"  Lawler's theorem fails on {wrong} of those, and on {wrong_elsewhere} of the others")
    share = 1 - (1 - 0.00914) ** 20
    print(f"  with 20 jobs {100 * share:.0f} % of instances must be expected to hold one (P(p < 1) = 0.9 %)")


def pairing() -> None:
    """Instances in file-name order (1, 10, 2, ...) against optima in numeric order (1, 2, 3, ...)."""
    for name in ("n=100", "n=200"):
        cells: dict[str, list[tuple[Instance, int]]] = {}
        for instance, optimum in named(name):
            cells.setdefault(instance.stratum, []).append((instance, optimum))
        right: list[int] = []
        wrong: list[int] = []
        values: list[int] = []
        for cell in cells.values():
            cell = cell[:10]
            by_name = sorted(range(len(cell)), key=lambda k: str(k + 1))
            if len(cell) < 10:  # too few for 10 to sort before 2: turn the cell by one instead
                by_name = [*range(1, len(cell)), 0]
            for place, k in enumerate(by_name):
                instance, optimum = cell[k]
                values.append(total_tardiness(instance.public, program("mdd")(**instance.public)))
                right.append(optimum)
                wrong.append(cell[place][1])
        beaten = sum(v < o for v, o in zip(values, wrong, strict=True))
        print(f"{name}, MDD on {len(values)} instances")
        print(f"  optima where they belong   {figures(values, right)}")
        print(f"  optima mispaired           {figures(values, wrong)}   'beats' {beaten} optima")


def cut() -> None:
    """The right-hand sides of the valid inequality, correctly indexed and with the place counted from 0."""
    kept = []
    for instance, _ in named("n=20")[:40]:
        lengths = sorted(instance.public["processing_times"])
        before = [0, *accumulate(lengths)]
        n = len(lengths)
        right = [[before[k] if k <= j else before[k + 1] - lengths[j] for k in range(n)] for j in range(n)]
        slipped = [
            [0 if k == 0 else before[k - 1] if k <= j else before[k] - lengths[j] for k in range(n)]
            for j in range(n)
        ]
        kept.append(sum(map(sum, slipped)) / sum(map(sum, right)))
    print(
        f"n=20: with the index slip the coefficients keep {100 * mean(kept):.1f} % of their size on average"
    )


def noise() -> None:
    """Whether MDDC beats MDD depends on the average; one textbook descent beats both by far."""
    rules = ("mdd", "mddc", "mdd-insertion")
    instances = named("n=100")
    values = {
        rule: np.array([total_tardiness(i.public, program(rule)(**i.public)) for i, _ in instances])
        for rule in rules
    }
    optima = np.array([optimum for _, optimum in instances])
    print(f"n=100, {len(optima)} instances, {(optima > 0).sum()} with a positive optimum")
    for rule in rules:
        print(f"  {rule:14s} {figures(values[rule].tolist(), optima.tolist())}")
    positive = optima > 0
    for other in rules[1:]:
        excess = 100 * (values[other] - values["mdd"])
        share = excess.sum() / optima.sum()
        ratios = mean_interval((excess[positive] / optima[positive]).tolist())
        sums = mean_interval(((excess - share * optima) / optima.mean()).tolist())  # linearised
        print(f"  {other} minus mdd, points, 95 % intervals: ", end="")
        for word, shift, bounds in (("mean of ratios", 0.0, ratios), ("ratio of sums", share, sums)):
            shown = "none" if bounds is None else f"[{shift + bounds[0]:+.2f}, {shift + bounds[1]:+.2f}]"
            print(f"{word} {shown}", end="; ")
        print()


CHECKS = {"eddc": eddc, "normal": normal, "pairing": pairing, "cut": cut, "noise": noise}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or list(CHECKS):
        CHECKS[wanted]()
        print()
