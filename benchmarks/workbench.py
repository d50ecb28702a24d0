"""What a workbench's feedback costs beyond the executions: `python benchmarks/workbench.py [PROBLEM …]`.

One process holds the bench open. In each round a program that nobody submitted before is first run bare on
the bench's own sandbox slots, as `probe` and `submit` run it, and then handed to the operation; the extra is
the operation's wall time minus that of the bare executions and of the runs behind the explanations of worst
instances. Medians and the largest of all rounds, in milliseconds.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from gapsmith.app.bench.creation import open_bench
from gapsmith.app.bench.session import Session, Sitting
from gapsmith.app.bench.workbench import Workbench
from gapsmith.app.config import parse
from gapsmith.evaluators.base import EvaluationStatus
from gapsmith.evolve.executor import EvaluationJob


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """Wall seconds of a call, and its value."""
    began = time.perf_counter()
    value = work()
    return time.perf_counter() - began, value


def bare_probe(at: Sitting, text: str) -> float:
    """Wall seconds of one execution on the first training instance, with its description before."""
    program = at.evaluator.program({"heuristic.py": text})
    one = next(iter(at.instances.values()))

    def work() -> None:
        at.slot.describe(text, program.entry_point)
        at.evaluator.probe(program, one, at.slot)

    return seconds(work)[0]


def bare_submit(at: Sitting, text: str) -> float:
    """Wall seconds of the description and of all training instances in use, without a race."""
    program = at.evaluator.program({"heuristic.py": text})
    last = at.campaign.search.pool.prefix

    def work() -> Any:
        at.slot.describe(text, program.entry_point)
        return at.campaign.ports.executor.submit(EvaluationJob(program, "train", last=last)).result()

    spent, evaluation = seconds(work)
    assert evaluation.status is EvaluationStatus.COMPLETE, evaluation.status
    return spent


def explanations(at: Sitting, text: str, ids: list[str]) -> float:
    """Wall seconds of the executions that explain the worst instances."""
    program, instances = at.evaluator.program({"heuristic.py": text}), at.instances
    return sum(seconds(lambda id=id: at.evaluator.probe(program, instances[id], at.slot))[0] for id in ids)


def measured(problem: str, rounds: int) -> dict[str, list[float]]:
    """Name → milliseconds in each round."""
    found: dict[str, list[float]] = {"probe": [], "probe bare": [], "submit": [], "submit bare": []}
    with tempfile.TemporaryDirectory(prefix="gapsmith-bench-") as place:
        folder = Path(place) / "20260101-000000-bench-aaaa"
        folder.mkdir()
        tables: dict[str, Any] = {"campaign": {"problem": problem}, "run": {"workers": 1}}
        open_bench(parse({**tables, "budget": {"iterations": 10_000}}, "benchmark"), folder, fresh=False)
        bench = Workbench(folder)
        session: Session = bench._session
        text = bench.read("start")["files"]["heuristic.py"]
        bench.probe(text)  # opens the session and warms the slots
        for number in range(rounds):
            changed = f"{text}\nROUND = {number}\n"
            with session.sitting() as at:
                one = bare_probe(at, changed)
            spent, _ = seconds(lambda changed=changed: bench.probe(changed))
            found["probe"].append(1000 * spent)
            found["probe bare"].append(1000 * one)
            with session.sitting() as at:
                all_of_them = bare_submit(at, changed)
            spent, answer = seconds(lambda changed=changed: bench.submit(changed))
            if answer["outcome"] not in ("kept", "behind"):
                continue  # a race that ended early ran fewer instances than the bare evaluation
            ids = [row["instance"] for row in answer["worst"] if "explanation" in row]
            with session.sitting() as at:
                all_of_them += explanations(at, changed, ids)
            found["submit"].append(1000 * spent)
            found["submit bare"].append(1000 * all_of_them)
        bench.close()
    return found


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=["smtt-rule", "online-bin-packing", "kv-scheduling-rule"])
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {arguments.rounds} rounds; milliseconds")
    for problem in arguments.problems:
        found = measured(problem, arguments.rounds)
        for name in ("probe", "submit"):
            extra = [whole - bare for whole, bare in zip(found[name], found[f"{name} bare"], strict=True)]
            print(
                f"{problem:24} {name:6} with {median(found[name]):8.1f}  bare {median(found[name + ' bare']):8.1f}"
                f"  extra median {median(extra):6.1f}  largest {max(extra):6.1f}  ({len(extra)} rounds)"
            )


if __name__ == "__main__":
    main()
