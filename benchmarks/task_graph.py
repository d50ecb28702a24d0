"""Figures of the task-graph documentation.

    python benchmarks/task_graph.py gaps                         every baseline by stratum, test instances
    python benchmarks/task_graph.py gaps --set large-transfers   the same on one of the named sets
    python benchmarks/task_graph.py times                        CPU milliseconds of loop and HEFT, by stratum
    python benchmarks/task_graph.py proofs                       proven references, and their seconds

`gaps` takes `--program FILE` (a rule or a whole program), which adds a row and compares it with `--against`
instance by instance. Means over the instances, in percent of the reference.
"""

from __future__ import annotations

import argparse
import copy
import statistics
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gapsmith.evaluators.base import ReferenceKind
from gapsmith.evaluators.graphs import task_graph, task_graph_rule
from gapsmith.evaluators.graphs.references import TaskGraphReferences
from shops import costs, executed, paired, row

Answer = Callable[[Mapping[str, Any]], Any]
WHOLE, RULE = task_graph.problem(), task_graph_rule.problem()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figure", choices=("gaps", "times", "proofs"))
    parser.add_argument("--set", default="test", help="set whose instances are answered")
    parser.add_argument("--program", type=Path, help="source text of a rule or a whole program")
    parser.add_argument("--against", default="heft", help="the baseline that --program is compared with")
    arguments = parser.parse_args()
    if arguments.figure == "gaps":
        gaps(arguments.set, arguments.program, arguments.against)
    else:
        {"times": times, "proofs": proofs}[arguments.figure]()


def gaps(label: str, program: Path | None, rival: str) -> None:
    """Prints mean gaps by stratum, and how a program compares with its rival."""
    instances, references = WHOLE.instances(label, 1), TaskGraphReferences()
    values = [float(references.reference(instance, 60).value) for instance in instances]
    strata = list(dict.fromkeys(instance.stratum for instance in instances))
    print("| program | " + " | ".join(strata) + " | all |")
    print("|---|" + "---|" * (len(strata) + 1))
    sources = dict(WHOLE.baselines())
    if program is not None:
        sources[program.stem] = program.read_text("utf-8")
    percents: dict[str, list[float]] = {}
    for name, source in sources.items():
        answer = answers(source)
        verdicts = [WHOLE.verify(instance, answer(instance.public)) for instance in instances]
        assert all(verdict.objective is not None for verdict in verdicts), name
        percents[name] = [
            100 * (float(verdict.objective or 0) / value - 1)
            for verdict, value in zip(verdicts, values, strict=True)
        ]
        row(name, instances, strata, percents[name])
    best = [percents[name] for name in ("heft", "peft", "min-min")]
    row("best of heft, peft, min-min", instances, strata, [min(column) for column in zip(*best, strict=True)])
    if program is not None:
        paired(program.stem, rival, percents[program.stem], percents[rival])


def answers(source: str) -> Answer:
    """A rule with its loop or a whole program, in this process: for sources that are trusted."""
    scope = executed(source)
    if WHOLE.entry_point in scope:
        return lambda public: scope[WHOLE.entry_point](**copy.deepcopy(dict(public)))
    loop = executed(RULE.driver)
    return lambda public: loop["drive"](scope[RULE.entry_point], copy.deepcopy(dict(public)))


def times() -> None:
    """Prints CPU milliseconds of the loop around HEFT."""
    for instance in RULE.instances("train", 1)[:6]:
        print(f"{instance.stratum}: {costs(RULE, RULE.baselines()['heft'], instance.public)}")


def proofs() -> None:
    """Prints, per set and stratum, the proven optima and the wall seconds of all references."""
    for name in ("train", "valid", "test"):
        found = [(i.stratum, TaskGraphReferences().reference(i, 60)) for i in WHOLE.instances(name, 1)]
        for stratum in dict.fromkeys(s for s, _ in found):
            some = [reference for s, reference in found if s == stratum]
            optima = sum(reference.kind is ReferenceKind.OPTIMUM for reference in some)
            seconds = [reference.seconds or 0.0 for reference in some]
            print(
                f"{name:16} {stratum:22} {optima:3} of {len(some):3} optima, median "
                f"{statistics.median(seconds):.1f} s, max {max(seconds):.1f} s"
            )


if __name__ == "__main__":
    main()
