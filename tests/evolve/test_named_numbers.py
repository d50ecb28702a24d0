"""Beside models the numbers that a program names are tuned, and points are no iterations."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from gapsmith.app.runs.stored_run import asked_iterations, completed_iterations
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.search import Search, SearchSettings
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.store.statistics import made_by
from gapsmith.evolve.store.store import Store
from gapsmith.evolve.syntax.analysis import named_constants, with_named_constants
from gapsmith.evolve.tuning import NAMED, OPERATOR, Generations, structure
from gapsmith.evolve.types import Complete, Examination, Origin, Proposal
from gapsmith.sandbox.base import Description

RULE = '''"""A rule of thumb, ±."""
import numpy as np

SHARE: float = 0.35  # of the work, ±
BONUS = -2.5
TERMS = 3
FEW = 2
LENGTH = 5
ROUNDS = 4
TINY = 1e-9
HUGE = 1e30
FLAG = True
UNUSED = 7.0
TWICE = 1.0


def part(x, TWICE=2.0, *, scale=1.5):
    return x * TWICE / scale


def rule(time, sizes, power=2, first=0.5):
    if len(sizes) <= FEW:
        return sizes - 1
    for i in range(ROUNDS):
        time = time + 0.25
    head = sizes[:LENGTH] * LENGTH
    return SHARE * time + BONUS - sizes / TERMS / (TINY + HUGE) + part(head.sum()) ** power
'''


def test_named_numbers_of_arithmetic_are_tunable_and_nothing_else() -> None:
    """Left alone: guards, lengths, ranges, tolerances, flags, what is not used, names with two values."""
    assert named_constants(RULE) == [0.35, 2.5, 3.0, 1.5, 2.0]
    assert named_constants("K = 3\ndef f(x):\n    return x if x > K else 0\n") == []
    assert named_constants("def f(m):\n    return (m - 1) * 2.5\n") == []


@pytest.mark.parametrize(
    ("numbers", "use", "tuned"),
    [
        ("A = 0.5\nFAR = 1e12", "x * A + FAR", [0.5]),
        ("A = 0.5\nBIG = 5000.0\nBIGGER = 60000", "x * A + BIG / BIGGER", [0.5]),
        ("A = 0.5\nB = 40\nC = 5000.0", "x * A + B - C", [0.5, 40, 5000]),
        ("WORK = 62000.0", "WORK / x", [62000]),
        ("A = 0.5\nNONE = -1", "x * A if x == NONE else x - NONE", [0.5]),
        ("A = 0.5\nROUNDS = 4", "[x * A * ROUNDS for _ in range(ROUNDS)]", [0.5]),
        ("A = 0.5\nSHARE = 4.0", "[x * A for _ in range(int(SHARE * x))]", [0.5, 4]),
        ("A = 0.5\nTOP = 9.0", "min(x * A, TOP)", [0.5]),
        ("A = 0.5\nTURNS = 7\nMASK = 255", "x * A + (x % TURNS) * (x & MASK)", [0.5]),
    ],
)
def test_infinities_bounds_sentinels_and_seeds_are_left_alone(
    numbers: str, use: str, tuned: list[float]
) -> None:
    """A million, a thousand times the rest, tests for equality, remainders, bits, names that only bound."""
    assert named_constants(f"{numbers}\n\ndef f(x):\n    return {use}\n") == tuned


def test_new_values_change_the_numbers_alone_and_integers_stay_integers() -> None:
    """Comments, signs and every other character stay; an integer is rounded and at least 1."""
    changed = with_named_constants(RULE, [0.123456, 7.0, 0.2, 3.00004, 2.6])
    pairs = list(zip(RULE.splitlines(), changed.splitlines(), strict=True))
    assert [now for then, now in pairs if then != now] == [
        "SHARE: float = 0.1235  # of the work, ±",
        "BONUS = -7.0",
        "TERMS = 1",
        "def part(x, TWICE=2.0, *, scale=3.0):",
        "def rule(time, sizes, power=3, first=0.5):",
    ]
    assert named_constants(changed) == [0.1235, 7.0, 1.0, 3.0, 3.0]
    assert with_named_constants(RULE, named_constants(RULE)) == RULE


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_lines_are_counted_as_python_counts_them(end: str) -> None:
    """A form feed or a line separator in a text ends no line."""
    text = end.join(["A = 2.0", 's = "\x0c\u2028"', "B = 4.0", "def f(x): return x * A + B", ""])
    assert with_named_constants(text, [3.0, 5.0]) == text.replace("2.0", "3.0").replace("4.0", "5.0")


def test_no_text_is_asked_for_twice() -> None:
    """Steps of a whole number often end at the same one: its loss is known, and others are asked for."""
    text = "K = 3\n\ndef f(x):\n    return x * K\n"
    work = Generations(text, 60, 1, NAMED, loss=abs(3 - 9))
    asked: list[str] = []
    while not work.over and (point := work.ask()) is not None:
        asked.append(point[1])
        work.tell(point[0], abs(named_constants(point[1])[0] - 9))
    assert len(set(asked)) == len(asked) < 60
    assert text not in asked
    assert text.replace("3", "9") in asked


def evaluation(loss: float) -> Evaluation:
    """A complete training evaluation with the same loss everywhere."""
    rows = [
        Score(f"train-{n}", ScoreStatus.OK, 1 + loss, 1, ReferenceKind.OPTIMUM, loss, loss, 0.1, f"{loss}{n}")
        for n in range(8)
    ]
    return Evaluation("train", tuple(rows), EvaluationStatus.COMPLETE, -loss)


def tell(search: Search, text: str, loss: Callable[[str], float]) -> Any:
    """Opens an iteration, with `text` as the reply if it is no point, and tells its outcome."""
    ask = search.ask()
    point = ask.point if isinstance(ask.point, Proposal) else None
    files = {"h.py": text} if point is None else point.files
    source = files["h.py"]
    examined = Examination(source, Description(token_digest=source, shape_digest=source, nodes=100))
    proposal = Proposal(files, Origin.IMPROVE if point is None else Origin.TUNE, "x", examined=examined)
    search.tell(ask, Complete(search.admit(ask, proposal), evaluation(loss(source))))  # type: ignore[arg-type]
    return ask


def test_the_numbers_of_a_models_best_program_are_tuned_by_themselves(fakes: Any) -> None:
    """After a reply with named numbers; within the share of executions, and no budget counts the points."""
    settings = SearchSettings(tune_share=0.5, tune_evaluations=30, validate_every=1000)
    search = fakes(settings=settings, guided=True).search()

    def loss(text: str) -> float:
        found = named_constants(text)
        return 9.0 if not found else 0.1 + abs(math.log(found[0] / 30.0))

    text = "SHARE = 3.0\n\ndef solve(x):\n    return x * SHARE  # reply {}\n"
    asks = [tell(search, text.format(number), loss) for number in range(60)]
    points = [ask for ask in asks if ask.tuned]
    assert not asks[0].tuned
    assert 20 <= len(points) <= 30
    assert search.tally.iterations == 60 - len(points)
    best = search.archive.best
    assert best is not None
    assert "# reply" in best.candidate.files["h.py"]
    assert loss(best.candidate.files["h.py"]) < 0.5 * loss(text)


def test_tuning_moves_to_a_better_program_at_once(fakes: Any) -> None:
    """Points of a program end when another one is best, and go on with that one's numbers."""
    settings = SearchSettings(tune_share=0.5, tune_evaluations=1000, validate_every=1000)
    search = fakes(settings=settings, guided=True).search()
    text = "A = 3.0\n\ndef solve(x):\n    return {}x * A\n"

    def loss(text: str) -> float:
        return 1.0 / (1 + text.count("x + ")) + 0.01 * (named_constants(text) != [3.0])

    tuned: list[int] = []
    replies = 0
    while replies < 6:
        ask = tell(search, text.format("x + " * replies), loss)
        replies += not ask.tuned
        if ask.tuned:
            tuned.append(ask.elites[0].candidate.files["h.py"].count("x + "))
    assert tuned == sorted(tuned)
    assert len(set(tuned)) >= 4


def test_programs_without_named_numbers_are_left_to_the_model(fakes: Any) -> None:
    """Numbers inside expressions are as often guards and offsets."""
    settings = SearchSettings(tune_share=0.5)
    search = fakes(settings=settings, guided=True).search()
    text = "def solve(x):\n    return (x - 1) * 2.5 if x > 2 else {}\n"
    assert not any(tell(search, text.format(n), lambda t: len(t) / 100).tuned for n in range(30))
    assert structure(text.format(3), NAMED) is None
    assert structure(text.format(3)) is not None


class Named:
    """A proposer of programs with one named number."""

    def propose(self, parents: Any, context: Any, rng: Any) -> Proposal:
        """See `Proposer`."""
        text = f"SHARE = {rng.uniform(1, 9):.3f}\n\ndef solve(x):\n    return x * SHARE\n"
        return Proposal({"heuristic.py": text}, Origin.IMPROVE, "improve")


@pytest.mark.parametrize("models", [["openai/x"], ["offline"]])
def test_iterations_are_counted_alike_while_a_campaign_runs_and_afterwards(
    fakes: Any, models: list[str]
) -> None:
    """Points beside models count nowhere: not in the budget, nor where a run is shown or gone on with."""
    guided = models != ["offline"]
    made = fakes(settings=SearchSettings(tune_share=0.4, tune_evaluations=9), guided=guided, proposer=Named())
    run = made.run(iterations=25)
    with closing(Store(made.folder)) as store:
        store.set("config", {"model": [{"spec": spec} for spec in models]})
    with closing(Reader.open(made.folder)) as read:
        points = made_by(read, OPERATOR)
        counted = completed_iterations(read), asked_iterations(read)
    assert points > 3
    assert counted == (25, 25)
    assert run.usage().iterations == 25
    assert run.search.tally.told == 25 + (points if guided else 0)
