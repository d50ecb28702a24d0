"""Figures of the documentation of memory mapping and cluster scheduling.

    python benchmarks/systems.py gaps memory-mapping           every baseline, by stratum
    python benchmarks/systems.py gaps memory-mapping-rule
    python benchmarks/systems.py gaps cluster-scheduling
    python benchmarks/systems.py gaps cluster-churn
    python benchmarks/systems.py times memory-mapping-rule     CPU milliseconds of programs and bounds
    python benchmarks/systems.py stranded cluster-scheduling   percent of the room that is left, and stranded
    python benchmarks/systems.py known cluster-scheduling      CP-SAT that knows the queue, 8 s, 2 a stratum

`--set` names a set (default: test) and `--file` a file of instances; `--program FILE` adds a program and
compares it with `--against`, a baseline, instance by instance. Means over the instances, in percent of the
reference; programs run in this process and must be trusted.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fleet_model import fleet_model
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.intervals import mean_interval
from gapsmith.evaluators.toolbox import solve_cpsat
from gapsmith.problems.base import Instance, Sense
from gapsmith.problems.cluster.verification import replay, stranded


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figure", choices=("gaps", "times", "stranded", "known"))
    parser.add_argument("problem")
    parser.add_argument("--set", default="test", help="name of a set")
    parser.add_argument("--file", type=Path, action="append", help="file of instances, instead of a set")
    parser.add_argument("--program", type=Path, help="source text of a program")
    parser.add_argument("--against", help="the baseline that --program is compared with")
    arguments = parser.parse_args()
    loaded = load_problem(arguments.problem)
    problem: Any = loaded.problem
    instances = [one for path in arguments.file or () for one in problem.read_instances(path)]
    instances = instances or problem.instances(arguments.set, 1)
    sources = dict(problem.baselines())
    if arguments.program is not None:
        sources[arguments.program.stem] = arguments.program.read_text("utf-8")
    assert loaded.references is not None
    if arguments.figure == "times":
        times(problem, loaded.references, sources, instances)
        return
    if arguments.figure == "stranded":
        stranded_shares(problem, sources, instances)
        return
    if arguments.figure == "known":
        known(loaded.references, instances)
        return
    references = [loaded.references.reference(instance, 60).value for instance in instances]
    found = gaps(problem, sources, instances, references)
    if arguments.program is not None and arguments.against:
        paired(arguments.program.stem, arguments.against, found)


def gaps(
    problem: Any, sources: Mapping[str, str], instances: Sequence[Instance], references: Sequence[Any]
) -> dict[str, list[float]]:
    """Prints mean gaps in percent by stratum, and returns all of them."""
    strata = list(dict.fromkeys(instance.stratum for instance in instances))
    print("| program | " + " | ".join(strata) + " | all |")
    print("|---|" + "---:|" * (len(strata) + 1))
    sign = 1 if problem.sense is Sense.MINIMISE else -1
    found = {}
    for name, source in sources.items():
        values = [objective(problem, source, instance) for instance in instances]
        row = [100 * sign * float(v / r - 1) for v, r in zip(values, references, strict=True)]
        cells = [
            statistics.mean(gap for gap, one in zip(row, instances, strict=True) if one.stratum == stratum)
            for stratum in strata
        ]
        cells.append(statistics.mean(row))
        print(f"| `{name}` | " + " | ".join(f"{cell:.1f}" for cell in cells) + " |", flush=True)
        found[name] = row
    return found


def paired(name: str, rival: str, found: Mapping[str, Sequence[float]]) -> None:
    """Prints the difference of two programs, by instance, with an interval of their linearised ratio."""
    ours, theirs = np.array(found[name]), np.array(found[rival])
    ratio = ours.mean() / theirs.mean()
    bounds = mean_interval(((ours - ratio * theirs) / theirs.mean()).tolist())
    shown = "" if bounds is None else f" (95 % interval {ratio + bounds[0]:.3f} to {ratio + bounds[1]:.3f})"
    print(
        f"{name} against {rival}: ratio of mean gaps {ratio:.3f}{shown}, "
        f"better on {int((ours < theirs).sum())}, worse on {int((ours > theirs).sum())} of {len(ours)}"
    )


def times(problem: Any, references: Any, sources: Mapping[str, str], instances: Sequence[Instance]) -> None:
    """Prints mean CPU milliseconds of each program, and of the reference, over the instances."""
    for name, source in sources.items():
        started = time.process_time()
        for instance in instances:
            objective(problem, source, instance)
        print(f"{name:18} {1000 * (time.process_time() - started) / len(instances):6.1f} CPU ms")
    started = time.process_time()
    for instance in instances:
        references.reference(instance, 60)
    print(f"{'reference':18} {1000 * (time.process_time() - started) / len(instances):6.1f} CPU ms")


def objective(problem: Any, source: str, instance: Instance) -> Any:
    """Objective of a program on an instance, as the problem's own verification says."""
    verdict = problem.verify(instance, answer(problem, source, instance))
    assert verdict.objective is not None, verdict.violations
    return verdict.objective


def stranded_shares(problem: Any, sources: Mapping[str, str], instances: Sequence[Instance]) -> None:
    """Prints for each program the room that stays free, and the part of it that no job of the queue fits."""
    print("| program | free cpu | free memory | stranded cpu | stranded memory |")
    print("|---|---:|---:|---:|---:|")
    for name, source in sources.items():
        shares = []
        for instance in instances:
            jobs = instance.hidden["jobs"] if instance.hidden else []
            fleet = replay(instance.public, jobs, answer(problem, source, instance))[0]
            cpu, memory = sum(instance.public["free_cpu"]), sum(instance.public["free_memory"])
            left = sum(fleet.free_cpu), sum(fleet.free_memory), *stranded(fleet, jobs)
            shares.append([100 * part / room for part, room in zip(left, (cpu, memory) * 2, strict=True)])
        cells = " | ".join(f"{share:.1f}" for share in np.mean(shares, axis=0))
        print(f"| `{name}` | {cells} |", flush=True)


def known(references: Any, instances: Sequence[Instance]) -> None:
    """Prints how far CP-SAT's schedules and its bounds are below the reference when the queue is known."""
    count: dict[str, int] = {}
    for instance in instances:
        count[instance.stratum] = count.get(instance.stratum, 0) + 1
        if count[instance.stratum] > 2:
            continue
        bound = references.reference(instance, 60).value
        model = fleet_model(instance.public, instance.hidden["jobs"] if instance.hidden else [])
        solved = solve_cpsat(model, seconds=8, known_bound=bound)
        value, proven = (100 * (1 - float(v or 0) / bound) for v in (solved.value, solved.bound))
        print(f"{instance.id} {instance.stratum:8} schedule {value:.1f} %, proven bound {proven:.1f} % below")


def answer(problem: Any, source: str, instance: Instance) -> Any:
    """What a program returns, in its loop or in a dialogue where the problem has one."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    entry, public = scope[problem.entry_point], copy.deepcopy(dict(instance.public))
    if not hasattr(problem, "driver"):
        return entry(**public)
    loop: dict[str, Any] = {}
    exec(problem.driver, loop)
    if not hasattr(problem, "dialogue"):
        return loop["drive"](entry, public)
    dialogue, last = problem.dialogue(instance), [b""]
    loop["drive"](entry, public, lambda: dialogue.next(last[0]), lambda line: last.__setitem__(0, line))
    return dialogue.answer()


if __name__ == "__main__":
    main()
