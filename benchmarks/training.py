"""Figures of the training documentation.

    python benchmarks/training.py lora        gaps of the baselines on 160 instances, and the headline ratios
    python benchmarks/training.py packing     gaps of the baselines on 120 instances, and on the set long-tail
    python benchmarks/training.py stages      LoRAFusion with its integer programmes, on 8 instances
    python benchmarks/training.py times       CPU milliseconds of bounds, verification and programs

Programs run in this process: they are shipped with the project.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from gapsmith.evaluators import training
from gapsmith.evaluators.base import Plugin
from gapsmith.evaluators.intervals import mean_interval
from gapsmith.evaluators.training import packing_stages
from gapsmith.problems.base import Instance
from gapsmith.problems.training.lora_microbatches import judge
from gapsmith.problems.training.pipeline import EMPTY, durations, padded_tiles, passes

PER_STRATUM = 20
HEADLINES = (
    "one-after-another",
    "one-after-another-next-fit",
    "mlora-two",
    "mlora-four",
    "round-robin-next-fit",
)


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    figures = {"lora": lora, "packing": packing, "stages": stages, "times": times}
    parser.add_argument("figure", choices=tuple(figures))
    figures[parser.parse_args().figure]()


def lora() -> None:
    """Gaps and bubbles of the schedulers, and ratios of summed makespans to LoRAFusion's."""
    plugin = training.lora_microbatches
    sums, bubbles = gaps(plugin, "test", bubble_share)
    print("\nbubbles, percent of the time of all stages, mean:")
    for name, share in bubbles.items():
        print(f"  {name:28} {share:5.1f}")
    print("\nsum of makespans over LoRAFusion's:")
    for name in HEADLINES:
        print(f"  {name:28} {sums[name] / sums['lorafusion']:5.2f}")


def packing() -> None:
    """Gaps of the planners, and ratios of summed step times to FlexSP's greedy order."""
    for label in ("test", "long-tail"):
        sums, _ = gaps(training.sequence_packing, label)
        for name in ("static-best-fit", "static-arrival", "homogeneous-longest-first"):
            print(f"  {label}: {name} over flexsp-greedy {sums[name] / sums['flexsp-greedy']:.2f}")


def gaps(
    plugin: Plugin, label: str, extra: Callable[[Instance, Any], float] | None = None
) -> tuple[dict[str, int], dict[str, float]]:
    """Prints percent over the bound by stratum; the sum of objectives and the mean of `extra` per program."""
    problem: Any = plugin.problem(test_per_stratum=PER_STRATUM)
    instances = problem.instances(label, 1)
    bounds = [plugin.references.reference(instance, 5).value for instance in instances]  # type: ignore[union-attr]
    strata = list(dict.fromkeys(instance.stratum for instance in instances))
    print(
        f"{len(instances)} instances, percent over the bound, mean of ratios [95 % interval], ratio of sums"
    )
    print(f"{'':28} " + " ".join(f"{name:>9}" for name in strata) + "       all                 sums")
    sums, means = {}, {}
    for name, source in problem.baselines().items():
        answers = [answer(problem, source, instance) for instance in instances]
        values = [problem.verify(i, a).objective for i, a in zip(instances, answers, strict=True)]
        ratios = [100 * (value / bound - 1) for value, bound in zip(values, bounds, strict=True)]
        rows = [
            statistics.mean(r for r, i in zip(ratios, instances, strict=True) if i.stratum == stratum)
            for stratum in strata
        ]
        low, high = interval(ratios)
        sums[name] = sum(values)
        cells = " ".join(f"{row:9.1f}" for row in rows)
        total = 100 * (sums[name] / sum(bounds) - 1)
        print(
            f"{name:28} {cells} {statistics.mean(ratios):9.1f} [{low:.1f}, {high:.1f}] {total:9.1f}",
            flush=True,
        )
        if extra is not None:
            means[name] = statistics.mean(extra(i, a) for i, a in zip(instances, answers, strict=True))
    return sums, means


def answer(problem: Any, source: str, instance: Instance) -> Any:
    """A shipped program's answer, as JSON."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    return json.loads(json.dumps(scope[problem.entry_point](**instance.public)))


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """95 % interval of the mean; the mean itself where there is none."""
    return mean_interval(ratios) or (statistics.mean(ratios),) * 2


def bubble_share(instance: Instance, microbatches: Any) -> float:
    """Percent of the makespan in which a stage idles; the same for every stage."""
    line, run = passes(instance.public, microbatches)
    tiles = [0 if n == EMPTY else padded_tiles(instance.public, microbatches[n]) for n in line]
    forward, backward = durations(instance.public["times"], tiles)
    return 100 * (1 - (sum(forward) + sum(backward)) / run.makespan)


def stages() -> None:
    """LoRAFusion on one instance of each stratum: greedy packing, and its programmes by HiGHS and CBC."""
    problem: Any = training.lora_microbatches.problem()
    source = problem.baselines()["lorafusion"]
    solvers: tuple[packing_stages.Solver, ...] = ("highs", "cbc")
    columns: dict[str, list[float]] = {"greedy": [], **{solver: [] for solver in solvers}}
    for instance in problem.instances("test", 1)[:8]:
        bound = training.lora_microbatches.references.reference(instance, 5).value  # type: ignore[union-attr]
        for name, row in columns.items():
            microbatches = with_stages(instance, source, None if name == "greedy" else name)
            makespan = judge(instance.public, microbatches).objective
            row.append(100 * (float(makespan or 0) / float(bound) - 1))
        print(
            f"{instance.stratum:10}", {name: round(row[-1], 2) for name, row in columns.items()}, flush=True
        )
    print("mean      ", {name: round(statistics.mean(row), 2) for name, row in columns.items()})


def with_stages(instance: Instance, source: str, solver: Any) -> Any:
    """The shipped program with its greedy packing replaced by the integer programmes, 2 seconds each."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    if solver is not None:
        greedy = scope["pack"]

        def pack(step: list[int], samples: Any, capacity: int, tile: int) -> list[list[int]]:
            start = greedy(step, samples, capacity, tile)
            return packing_stages.pack(instance.public, step, start, 2, solver)

        scope["pack"] = pack
    return scope["schedule"](**instance.public)


def times() -> None:
    """Prints medians of CPU milliseconds per instance of the test split."""
    for plugin in (training.lora_microbatches, training.sequence_packing):
        problem: Any = plugin.problem()
        instances = problem.instances("test", 1)
        print(problem.name, "largest of", len(instances), "in brackets")
        row("bound", instances, lambda i, p=plugin: p.references.reference(i, 5))  # type: ignore[misc]
        name, source = next(iter(problem.start_programs().items()))
        answers = {i.id: answer(problem, source, i) for i in instances}
        row("verification", instances, lambda i, p=problem, a=answers: p.verify(i, a[i.id]))  # type: ignore[misc]
        for name, source in problem.baselines().items():
            row(name, instances, lambda i, p=problem, s=source: answer(p, s, i))  # type: ignore[misc]


def row(name: str, instances: Sequence[Instance], work: Callable[[Instance], Any]) -> None:
    """One line of CPU milliseconds."""
    spent = []
    for instance in instances:
        started = time.process_time()
        work(instance)
        spent.append(1_000 * (time.process_time() - started))
    print(f"  {name:28} {statistics.median(spent):7.1f} ({max(spent):.1f})", flush=True)


if __name__ == "__main__":
    main()
