"""What one phase of local search around textbook programs reaches within a time, without a campaign.

    python benchmarks/phases.py PROBLEM SECONDS PROGRAM…    named baselines of a problem with moves

Makes 40 children of the named baselines, in turn, with the offline proposer's operators for new phases: with
the usual number of moves, then with the number for a time budget of SECONDS. They run on the training split
without a sandbox. Printed: how many keep the budget (mean CPU seconds of an instance), how many of these are
better than the best named baseline, and the best of them, which also runs on the test split beside it.
"""

from __future__ import annotations

import json
import random
import sys
import time
from statistics import fmean

from gapsmith.app.plugins.loader import load_problem
from gapsmith.evaluators.statistics import paired, wins_ties_losses
from gapsmith.evolve.offline import change
from gapsmith.evolve.offline.local_search import OPERATORS
from gapsmith.evolve.offline.neighbours import Ground
from gapsmith.evolve.offline.proposer import effort_for
from gapsmith.problems.base import Sense

CHILDREN = 40
FIRST = 4
"""Instances after which a program that takes twice the budget is given up (count)."""
PHASES = [o for o in OPERATORS if o.name in ("moves-descent", "moves-threshold", "moves-kicks")]
NAME, SECONDS, PROGRAMS = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
LOADED = load_problem(NAME)
PROBLEM = LOADED.problem
REFERENCES = LOADED.references


def run(text: str, split: str, most: float = float("inf")) -> tuple[list[float], float] | None:
    """Gaps (percent) and mean CPU seconds of an instance; None for a program that is far too slow."""
    names: dict[str, object] = {}
    exec(compile(text, "child", "exec"), names)
    solve, gaps, seconds = names[PROBLEM.entry_point], [], 0.0
    for instance in PROBLEM.instances(split, 1):
        public = json.loads(json.dumps(dict(instance.public)))
        begun = time.process_time()
        answer = solve(**public)  # type: ignore[operator]
        seconds += time.process_time() - begun
        optimum = float(REFERENCES.shipped(instance).value)  # type: ignore[union-attr]
        change_of = float(PROBLEM.verify(instance, answer).objective or 0) - optimum
        gaps.append(100 * (-change_of if PROBLEM.sense is Sense.MAXIMISE else change_of) / optimum)
        if len(gaps) >= FIRST and seconds / len(gaps) > 2 * most:
            return None
    return gaps, seconds / len(gaps)


def child(text: str, stream: random.Random, effort: float) -> tuple[object, str] | None:
    """A program with one phase or more around what it was."""
    entry, ground = PROBLEM.entry_point, Ground.of(PROBLEM)
    return change(text, entry, stream, operators=PHASES, numpy=True, ground=ground, effort=effort)


def main() -> None:
    """Prints a line for each number of moves, and the comparison on the test split."""
    texts = PROBLEM.baselines()
    found = {name: made for name in PROGRAMS if (made := run(texts[name], "train")) is not None}
    rival = min(found, key=lambda name: fmean(found[name][0]))
    least = fmean(found[rival][0])
    print(f"{rival}: {least:.2f} % of training, {1000 * found[rival][1]:.1f} ms", flush=True)
    for effort in (1.0, effort_for(SECONDS)):
        stream, within, best, text = random.Random(1), list[float](), float("inf"), ""
        for number in range(CHILDREN):
            parent = texts[PROGRAMS[number % len(PROGRAMS)]]
            made = child(parent, stream, effort)
            outcome = None if made is None else run(made[1], "train", SECONDS)
            if made is None or outcome is None or outcome[1] > SECONDS:
                continue
            within.append(fmean(outcome[0]))
            if within[-1] < best:
                best, text = within[-1], made[1]
        better = sum(gap < least for gap in within)
        print(f"{effort:.2f} of the moves: {len(within)} of {CHILDREN} children keep the budget,", end=" ")
        print(f"{better} are better, best {best:.2f} %", flush=True)
    mine, theirs = run(text, "test"), run(texts[rival], "test")
    assert mine is not None
    assert theirs is not None
    one = paired(mine[0], theirs[0])
    counts = wins_ties_losses(zip(mine[0], theirs[0], strict=True))
    print(f"test: {fmean(mine[0]):.2f} % at {1000 * mine[1]:.1f} ms,", end=" ")
    print(f"{rival} {fmean(theirs[0]):.2f} % at {1000 * theirs[1]:.1f} ms; {counts}, {one}")


if __name__ == "__main__":
    main()
