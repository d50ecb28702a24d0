"""Figures of the page on requests under memory.

    python benchmarks/kv_scheduling.py gaps      every rule by stratum, gaps of latency and of queueing
    python benchmarks/kv_scheduling.py search    a clairvoyant descent by the moves from the best rule
    python benchmarks/kv_scheduling.py times     CPU milliseconds of a rule with its rounds, by stratum

`gaps` takes `--program FILE` (a rule), which adds a row and compares it with `--against` instance by
instance. Means over the test instances of seed 1, in percent of the proven bound; `queueing` leaves the
rounds of service out of latency and bound.
"""

from __future__ import annotations

import argparse
import copy
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gapsmith.evaluators.serving import kv_scheduling
from gapsmith.evaluators.serving.references import KvSchedulingReferences
from gapsmith.problems.base import Instance
from gapsmith.problems.serving import rules
from shops import executed, least, paired, row

WHOLE = kv_scheduling.problem()


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("figure", choices=("gaps", "search", "times"))
    parser.add_argument("--program", type=Path, help="source text of a rule")
    parser.add_argument(
        "--against", default="shortest-output", help="the rule that --program is compared with"
    )
    parser.add_argument("--moves", type=int, default=20_000, help="draws of `search` for each instance")
    arguments = parser.parse_args()
    if arguments.figure == "gaps":
        gaps(arguments.program, arguments.against)
    elif arguments.figure == "search":
        search(arguments.moves)
    else:
        times()


def gaps(program: Path | None, rival: str) -> None:
    """Prints mean gaps by stratum, and how a program compares with its rival."""
    instances = WHOLE.instances("test", 1)
    bounds = [_bound(instance) for instance in instances]
    strata = list(dict.fromkeys(instance.stratum for instance in instances))
    print("| rule | " + " | ".join(strata) + " | all |")
    print("|---|" + "---|" * (len(strata) + 1))
    sources = dict(WHOLE.baselines())
    if program is not None:
        sources[program.stem] = _whole(program.read_text("utf-8"))
    percents: dict[str, list[float]] = {}
    for name, source in sources.items():
        answer = answers(source)
        values = [_value(instance, answer(instance.public)) for instance in instances]
        percents[name] = _gaps(values, bounds, [0] * len(bounds))
        row(name, instances, strata, percents[name])
        service = [sum(instance.public["outputs"]) for instance in instances]
        row(f"{name}, queueing", instances, strata, _gaps(values, bounds, service))
    if program is not None:
        paired(program.stem, rival, percents[program.stem], percents[rival])


def search(draws: int) -> None:
    """Prints what a descent finds that knows all arrivals: how loose the bound can be at most."""
    scope = executed(rules.moves())
    start, instances = answers(WHOLE.baselines()["shortest-output"]), WHOLE.instances("valid", 1)
    values = []
    for instance in instances:
        public = copy.deepcopy(dict(instance.public))
        stream, neighbours = random.Random(instance.id), scope["Neighbours"](start(public), **public)
        for _ in range(draws):
            change, move = neighbours.draw(stream.random)
            if move is not None and change <= 0:
                neighbours.make(move)
        values.append(_value(instance, neighbours.answer()))
    strata = list(dict.fromkeys(instance.stratum for instance in instances))
    bounds = [_bound(instance) for instance in instances]
    row("search", instances, strata, _gaps(values, bounds, [0] * len(bounds)))


def times() -> None:
    """Prints CPU milliseconds of the rounds around the rule of shortest outputs."""
    program = executed(WHOLE.baselines()["shortest-output"])[WHOLE.entry_point]
    for instance in WHOLE.instances("train", 1)[:4]:
        print(f"{instance.stratum}: {least(partial(program, **instance.public)):.1f} CPU ms")


def answers(source: str) -> Callable[[Mapping[str, Any]], Any]:
    """A whole program in this process: for sources that are trusted."""
    scope = executed(source)
    return lambda public: scope[WHOLE.entry_point](**copy.deepcopy(dict(public)))


def _whole(rule: str) -> str:
    """A rule with the rounds around it: the text of a baseline, whose rule is replaced."""
    return WHOLE.baselines()["fcfs"] + "\n\n" + rule


def _value(instance: Instance, answer: Any) -> int:
    verdict = WHOLE.verify(instance, answer)
    assert verdict.objective is not None, verdict.violations
    return int(verdict.objective)


def _bound(instance: Instance) -> int:
    return int(KvSchedulingReferences().reference(instance, 120).value)


def _gaps(values: Sequence[int], bounds: Sequence[int], less: Sequence[int]) -> list[float]:
    """Gaps in percent, with the same taken off value and bound."""
    return [
        100 * (value - bound) / max(1, bound - service)
        for value, bound, service in zip(values, bounds, less, strict=True)
    ]


if __name__ == "__main__":
    main()
