"""Figures of the job-shop documentation.

    python benchmarks/shops.py loops       every rule in the active and in the non-delay loop, by stratum
    python benchmarks/shops.py taillard    the same on Taillard's 80 instances, over the best known values
    python benchmarks/shops.py blocking    the rules of the blocking job shop, by stratum
    python benchmarks/shops.py times       CPU milliseconds of the loops and of a rule, by size
    python benchmarks/shops.py proofs      how many references ship, and the seconds that their proofs took

`loops`, `taillard` and `blocking` take `--program FILE` (a rule), which adds a row and compares it with
`--against` instance by instance. Means over the instances, in percent of the reference.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from gapsmith.evaluators import shops
from gapsmith.evaluators.base import Plugin
from gapsmith.evaluators.intervals import mean_interval
from gapsmith.problems.base import Instance
from gapsmith.problems.shops.laws import draw, uniform
from gapsmith.problems.strata import stream

Answer = Callable[[Mapping[str, Any]], Any]
SIZES = ((8, 6), (10, 10), (15, 10), (15, 15), (20, 20), (50, 15))
BLOCKING_SIZES = ((6, 6), (7, 5), (8, 5))


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figure", choices=("loops", "taillard", "blocking", "times", "proofs"))
    parser.add_argument("--program", type=Path, help="source text of a rule")
    parser.add_argument("--against", default=None, help="the baseline that --program is compared with")
    arguments = parser.parse_args()
    if arguments.figure == "times":
        times()
    elif arguments.figure == "proofs":
        proofs()
    else:
        plugin = shops.blocking_job_shop_rule if arguments.figure == "blocking" else shops.job_shop_rule
        label = "taillard" if arguments.figure == "taillard" else "test"
        rival = arguments.against or ("mwkr" if arguments.figure == "blocking" else "non-delay-spt-wkr")
        table(plugin, label, arguments.program, rival)


def table(plugin: Plugin, label: str, program: Path | None, rival: str) -> None:
    """Prints mean gaps of every rule by stratum, and how a program compares with its rival."""
    problem: Any = plugin.problem()
    instances = problem.instances(label, 1)
    assert plugin.references is not None
    references = [float(plugin.references.reference(instance, 60).value) for instance in instances]
    strata = list(dict.fromkeys(instance.stratum for instance in instances))
    print("| rule | " + " | ".join(strata) + " | all |")
    print("|---|" + "---|" * (len(strata) + 1))
    sources = dict(problem.baselines())
    if program is not None:
        sources[program.stem] = program.read_text("utf-8")
    gaps: dict[str, list[float]] = {}
    for name, source in sources.items():
        answer = rule(problem, source)
        gaps[name] = [
            100 * (value(problem, instance, answer) / reference - 1)
            for instance, reference in zip(instances, references, strict=True)
        ]
        row(name, instances, strata, gaps[name])
    rules = [gaps[name] for name in problem.baselines()]
    row("best of these", instances, strata, [min(column) for column in zip(*rules, strict=True)])
    if program is not None:
        paired(program.stem, rival, gaps[program.stem], gaps[rival])


def row(name: str, instances: Sequence[Instance], strata: Sequence[str], gaps: Sequence[float]) -> None:
    """Prints one row: the mean of each stratum, and of all."""
    cells = [
        statistics.mean(g for g, i in zip(gaps, instances, strict=True) if i.stratum == stratum)
        for stratum in strata
    ]
    print(f"| `{name}` | " + " | ".join(f"{cell:.1f}" for cell in [*cells, statistics.mean(gaps)]) + " |")


def paired(name: str, rival: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    """Prints the difference of two programs, instance by instance, with an interval."""
    differences = np.array(ours) - np.array(theirs)
    bounds = mean_interval(differences.tolist())
    shown = "" if bounds is None else f" (95 % interval {bounds[0]:.2f} to {bounds[1]:.2f})"
    better, worse = int((differences < 0).sum()), int((differences > 0).sum())
    print(
        f"{name} against {rival}: ratio of mean gaps {np.mean(ours) / np.mean(theirs):.3f}, difference "
        f"{differences.mean():.2f} points{shown}, better on {better}, worse "
        f"on {worse} of {len(differences)}"
    )


def rule(problem: Any, source: str) -> Answer:
    """A rule with its loop, in this process: for sources that are trusted."""
    scope, loop = executed(source), executed(problem.driver)
    return lambda public: loop["drive"](scope[problem.entry_point], copy.deepcopy(dict(public)))


def value(problem: Any, instance: Instance, answer: Answer) -> float:
    """Makespan of a rule's schedule, as the problem's own verification says."""
    verdict = problem.verify(instance, answer(instance.public))
    assert verdict.objective is not None, verdict.violations
    return float(verdict.objective)


def times() -> None:
    """Prints CPU milliseconds of the active loop and of the blocking one around SPT/WKR."""
    for plugin, name, sizes in (
        (shops.job_shop_rule, "active-spt-wkr", SIZES),
        (shops.blocking_job_shop_rule, "spt-wkr", BLOCKING_SIZES),
    ):
        problem = plugin.problem()
        print(problem.name)
        for jobs, machines in sizes:
            public = draw(jobs, machines, uniform, 1, stream(f"times {jobs} {machines}")).public
            print(f"{jobs}x{machines}: {costs(problem, problem.baselines()[name], public)}")


def costs(problem: Any, source: str, public: Mapping[str, Any]) -> str:
    """CPU milliseconds of a loop with its rule, of the rule's calls alone, and of both as in the sandbox.

    There decisions are recorded, and the rule's text is executed anew before each call.
    """
    entry, code = problem.entry_point, compile(source, "rule.py", "exec")
    drive = executed(problem.driver)["drive"]
    record = executed(f"{problem.driver}\n{problem.recorder}")["record"]
    function = executed(code)[entry]
    calls: list[Mapping[str, Any]] = []

    def noted(**arguments: Any) -> Any:
        calls.append(arguments)
        return function(**arguments)

    def anew(**arguments: Any) -> Any:
        return executed(code)[entry](**arguments)

    drive(noted, public)
    whole = least(lambda: drive(function, public))
    alone = least(lambda: [function(**arguments) for arguments in calls])
    sealed = least(lambda: record(anew, public))
    return f"{whole:.2f} CPU ms ({len(calls)} calls: {alone:.2f}); recorded, executed anew {sealed:.2f}"


def least(call: Callable[[], Any], turns: int = 25) -> float:
    """CPU milliseconds of a call, least of some turns: what disturbs a busy machine only adds to it."""
    seconds = []
    for _ in range(turns):
        started = time.thread_time()
        call()
        seconds.append(time.thread_time() - started)
    return 1000 * min(seconds)


def executed(source: Any) -> dict[str, Any]:
    """The names that a text or its code defines: for sources that are trusted."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope


def proofs() -> None:
    """Prints, per family, set and stratum, the shipped optima and the seconds of their proofs."""
    for plugin in (shops.job_shop, shops.blocking_job_shop):
        problem: Any = plugin.problem()
        for split in ("train", "valid", "test"):
            instances = problem.instances(split, 1)
            found = [(i.stratum, plugin.references.shipped(i)) for i in instances]  # type: ignore[union-attr]
            for stratum in dict.fromkeys(i.stratum for i in instances):
                known = [one.seconds or 0 for name, one in found if name == stratum and one is not None]
                total = sum(name == stratum for name, _ in found)
                spread = f"median {statistics.median(known):.2f} s, max {max(known):.2f} s" if known else ""
                print(f"{problem.name:18} {split:6} {stratum:18} {len(known):3} of {total:3} {spread}")


if __name__ == "__main__":
    main()
