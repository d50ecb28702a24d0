"""What it costs that rules are functions of their arguments: executed anew, and audited by fresh processes.

    python benchmarks/rule_forms.py executions            one version against the other, instance by instance
    python benchmarks/rule_forms.py campaign smtt-rule     CPU seconds of all children of a small campaign

`executions` runs start programs and baselines under versions 1 and 2 of each rule form in turns, on one slot,
and prints CPU milliseconds per execution and the audit's share of an evaluation. `campaign` counts the CPU
time of all children of the candidates of one offline campaign by kind, validation and test included:
executions, what executing anew adds to them (each execution is made a second time without), and the audit.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from gapsmith import run_campaign
from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.base import Reference, ReferenceKind
from gapsmith.evaluators.evaluator import GapEvaluator
from gapsmith.sandbox.base import Execution, Limits, Program
from gapsmith.sandbox.slot import Slot, open_sandbox

RULES = (
    "smtt-rule",
    "smwtt-rule",
    "job-shop-rule",
    "blocking-job-shop-rule",
    "lora-microbatches-rule",
    "flow-shop-rule",
    "task-graph-rule",
)
UNKNOWN = Reference(1, ReferenceKind.BASELINE, None, None, "none", "1", None, "placeholder")


class Counting:
    """A slot that counts CPU seconds: of executions, of the same executed once, and of audits."""

    def __init__(self, slot: Slot, again: bool = False) -> None:
        self.slot = slot
        self.seconds: Counter[str] = Counter()
        self._again = again

    def execute(self, program: Program, instance: bytes, *rest: Any) -> Execution:
        """Runs the program and counts."""
        execution = self.slot.execute(program, instance, *rest)
        kind = "execution" if program.driver and program.driver.endswith("drive = record\n") else "audit"
        self.seconds[kind] += execution.cpu_seconds
        if self._again and kind == "execution":
            once = replace(program, anew=0)
            self.seconds["once"] += self.slot.execute(once, instance, *rest).cpu_seconds
        return execution


def executions(problems: list[str], rounds: int) -> None:
    """Prints the table of executions."""
    for name in problems:
        problem = load_problem(name).problem
        for text_name, text in list(problem.baselines().items())[:3]:
            seconds: Counter[str] = Counter()
            counting: list[Counter[str]] = []
            with open_sandbox() as slot:
                for number in range(2 * rounds):
                    now = load_problem(name).at("12"[number % 2]).problem
                    evaluator = GapEvaluator(
                        now,
                        {"train": now.instances("train", 1)},
                        lambda instance: UNKNOWN,
                        limits=Limits(cpu_seconds=20.0),
                        seed=1,
                        policy="",
                    )
                    counter = Counting(slot)
                    evaluation = evaluator.evaluate(
                        evaluator.program({"heuristic.py": text}),
                        "train",
                        counter,  # type: ignore[arg-type]
                    )
                    seconds[now.version] += sum(score.cpu_seconds for score in evaluation.scores)
                    counting += [counter.seconds] * (now.version == "2")
                    evaluator.close()
            count = rounds * len(evaluation.scores)
            audit = sum(each["audit"] for each in counting) / seconds["2"]
            then, anew = (1000 * seconds[version] / count for version in "12")
            print(
                f"{name:24} {text_name:22} {then:6.2f} ms, now {anew:6.2f} ms ({anew / then - 1:+.0%}), "
                f"audit {audit:+.0%} of a whole evaluation"
            )


@contextmanager
def counted() -> Iterator[list[Counting]]:
    """Every slot of the process counts while this lasts."""
    from gapsmith.app.setup.setup import Setup

    counters: list[Counting] = []
    opened = Setup.open_slot

    class Slotted(Counting):
        def describe(self, *arguments: Any) -> Any:
            return self.slot.describe(*arguments)

        def close(self) -> None:
            self.slot.close()

    def counting(setup: Setup) -> Any:
        counters.append(Slotted(opened(setup), again=True))  # type: ignore[arg-type]
        return counters[-1]

    Setup.open_slot = counting  # type: ignore[method-assign]
    try:
        yield counters
    finally:
        Setup.open_slot = opened  # type: ignore[method-assign]


def campaign(problems: list[str], iterations: int) -> None:
    """Prints the table of campaigns; baselines are evaluated by a first, short one."""
    for name in problems:
        with tempfile.TemporaryDirectory() as place:
            settings = {"run.workers": 1, "sandbox.cpu_seconds": 1.0}
            run_campaign(name, iterations=1, settings=settings, runs=Path(place))
            with counted() as counters:
                run_campaign(name, iterations=iterations, settings=settings, runs=Path(place))
        total: Counter[str] = sum((each.seconds for each in counters), Counter())
        once, made, audit = total["once"], total["execution"], total["audit"]
        print(
            f"{name:24} {iterations} iterations: executions {made:.1f} s, executed once {once:.1f} s "
            f"({made / once - 1:+.1%}); audits {audit:.1f} s ({audit / once:+.1%}); "
            f"together {(made + audit) / once - 1:+.1%}"
        )


def main() -> None:
    """Runs the command line."""
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("command", choices=["executions", "campaign"])
    parser.add_argument("problems", nargs="*", help=f"by default all of {', '.join(RULES)}")
    parser.add_argument("--rounds", type=int, default=3, help="of executions (count) [default: 3]")
    parser.add_argument("--iterations", type=int, default=100, help="of a campaign (count) [default: 100]")
    options = parser.parse_args()
    problems = options.problems or list(RULES)
    if options.command == "executions":
        executions(problems, options.rounds)
    else:
        campaign(problems, options.iterations)


if __name__ == "__main__":
    main()
