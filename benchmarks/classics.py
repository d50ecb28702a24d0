"""Figures of the documentation of the classics.

    python benchmarks/classics.py flow-shop test                  every baseline, by stratum
    python benchmarks/classics.py flow-shop-rule taillard         the same on a named set
    python benchmarks/classics.py flow-shop test --program FILE   one program more

Mean gaps over the instances, in percent of the reference, and mean CPU milliseconds of an answer, in this
process: for sources that are trusted.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from gapsmith.app.plugins.loader import load_problem
from gapsmith.problems.base import Driven, Problem, Sense

Answer = Callable[[Mapping[str, Any]], Any]


def main() -> None:
    """Reads the command line and prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problem")
    parser.add_argument("set")
    parser.add_argument("--program", type=Path, help="source text of one more program")
    arguments = parser.parse_args()
    loaded = load_problem(arguments.problem)
    problem = loaded.problem
    assert loaded.references is not None
    instances = problem.instances(arguments.set, 1)
    references = [float(loaded.references.reference(instance, 60).value) for instance in instances]
    sources = dict(problem.baselines())
    if arguments.program is not None:
        sources[arguments.program.stem] = arguments.program.read_text("utf-8")
    strata = list(dict.fromkeys(instance.stratum for instance in instances))
    print("| program | " + " | ".join(strata) + " | all | CPU ms |")
    print("|---|" + "---|" * (len(strata) + 2))
    for name, source in sources.items():
        answer = function(problem, source)
        gaps, started = [], time.process_time()
        for instance, reference in zip(instances, references, strict=True):
            verdict = problem.verify(instance, answer(instance.public))
            assert verdict.objective is not None, verdict.violations
            loss = float(verdict.objective) - reference
            gaps.append(100 * (-loss if problem.sense is Sense.MAXIMISE else loss) / reference)
        spent = 1000 * (time.process_time() - started) / len(instances)
        cells = [
            statistics.mean(g for g, i in zip(gaps, instances, strict=True) if i.stratum == stratum)
            for stratum in strata
        ]
        row = " | ".join(f"{cell:.1f}" for cell in [*cells, statistics.mean(gaps)])
        print(f"| `{name}` | {row} | {spent:.1f} |", flush=True)


def function(problem: Problem, source: str) -> Answer:
    """A program as a function of an instance's public part, with its driver if there is one."""
    scope: dict[str, Any] = {}
    exec(source, scope)
    entry = scope[problem.entry_point]
    if not isinstance(problem, Driven):
        return lambda public: entry(**copy.deepcopy(dict(public)))
    loop: dict[str, Any] = {}
    exec(problem.driver, loop)
    return lambda public: loop["drive"](entry, copy.deepcopy(dict(public)))


if __name__ == "__main__":
    main()
