"""What it costs to judge answers in a process that a deadline can end: `python benchmarks/judging.py`.

Every execution is done twice in turns, on one slot: judged in the tool's own process, as it was until 0.2,
and in a helper. Prints one JSON document: median milliseconds per execution of both ways, and the median of
the paired differences.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import Any

from gapsmith.app.config import parse
from gapsmith.app.setup.prepare import setup_of_problem
from gapsmith.evaluators.evaluator import execution_seed
from gapsmith.evaluators.judging import judge
from gapsmith.evaluators.scoring import score
from gapsmith.problems.base import Interactive
from gapsmith.sandbox.base import MAIN_FILE

PROBLEMS = ("smtt", "bin-packing", "online-bin-packing", "gpu-fleet")


def measure(name: str, rounds: int) -> dict[str, Any]:
    """Both ways on one problem's start program and training instances."""
    setup = setup_of_problem(parse({"campaign": {"problem": name}}, "benchmark"), sets=("train",))
    evaluator, problem = setup.evaluator, setup.loaded.problem
    program = evaluator.program({MAIN_FILE: next(iter(problem.start_programs().values()))})
    instances = list(evaluator.instances("train").values())[:20]
    encoded = {i.id: json.dumps(dict(i.public)).encode() for i in instances}
    spent: dict[str, list[float]] = {"here": [], "helper": []}
    evaluator.prepare()
    slot = setup.open_slot()
    try:
        for turn in range(rounds):
            for instance in instances:
                seed = execution_seed(evaluator.seed, instance.id)
                for way in ("here", "helper") if turn % 2 else ("helper", "here"):
                    began = time.perf_counter()
                    if way == "helper":
                        evaluator.execute(program, instance, slot)
                    else:
                        dialogue = problem.dialogue(instance) if isinstance(problem, Interactive) else None
                        done = slot.execute(program, encoded[instance.id], evaluator.limits, seed, dialogue)
                        judgement = judge(problem, instance, done.answer)
                        score(problem, instance, evaluator.references[instance.id], done, judgement)
                    spent[way].append((time.perf_counter() - began) * 1000)
    finally:
        slot.close()
        evaluator.close()
    here, helper = (statistics.median(spent[way]) for way in ("here", "helper"))
    return {
        "executions": len(spent["here"]),
        "here_ms": round(here, 3),
        "helper_ms": round(helper, 3),
        "more_ms": round(statistics.median(map(float.__sub__, spent["helper"], spent["here"])), 3),
    }


def main() -> None:
    """Measures every problem that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*", default=PROBLEMS)
    parser.add_argument("--rounds", type=int, default=20, help="times each instance is run (count)")
    options = parser.parse_args()
    print(json.dumps({name: measure(name, options.rounds) for name in options.problems}, indent=1))


if __name__ == "__main__":
    main()
