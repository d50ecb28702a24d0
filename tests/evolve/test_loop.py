"""Whole campaigns on fakes: budgets, racing, duplicates, start programs, validation and the champion."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from gapsmith.evaluators.base import EvaluationStatus
from gapsmith.evaluators.statistics import surpasses
from gapsmith.evolve import champion
from gapsmith.evolve.budget import StopReason
from gapsmith.evolve.course import Pace
from gapsmith.evolve.racing import PairedRace, alike_after
from gapsmith.evolve.search import PopulationSettings, SearchSettings
from gapsmith.evolve.selection import Control
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.store.store import Store
from gapsmith.evolve.tuning import OPERATOR
from gapsmith.evolve.types import Context, Elite, Origin, Proposal, Rejection, RejectionReason
from gapsmith.evolve.validation import ChampionSettings

from .fakes import START

Make = Callable[..., Any]


class Repeating:
    """A proposer that always says the same."""

    def __init__(self, text: str) -> None:
        self._text = text

    def propose(self, *_: Any) -> Proposal:
        """See `Proposer`."""
        return Proposal({"heuristic.py": self._text}, Origin.IMPROVE, "improve")


@pytest.mark.parametrize("in_flight", [1, 4, 16])
def test_a_budget_of_evaluations_is_never_exceeded(fakes: Make, in_flight: int) -> None:
    """However many iterations are under way, the campaign stops at the exact number."""
    run = fakes(pace=Pace(in_flight)).run(evaluations=17)
    assert run.usage().evaluations == 17
    assert run.stopped is StopReason.EVALUATIONS


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"iterations": 9}, StopReason.ITERATIONS),
        ({"executions": 60}, StopReason.EXECUTIONS),
        ({"cpu_seconds": 0.05}, StopReason.CPU),
        ({"seconds": 0.000001}, StopReason.SECONDS),
        ({"iterations": 9, "evaluations": 2}, StopReason.EVALUATIONS),
    ],
)
def test_the_first_limit_that_is_used_up_ends_the_campaign(
    fakes: Make, limits: dict[str, Any], reason: StopReason
) -> None:
    """Its name is the reason; what was in flight is told."""
    run = fakes().run(**limits)
    assert run.stopped is reason
    assert run.search.tally.asked == run.search.tally.told


def test_patience_ends_a_search_that_stands_still(fakes: Make) -> None:
    """A proposer that repeats itself brings one candidate, then duplicates, and no better best."""
    repeated = "def solve(x: float) -> float:\n    return 90.0 * x\n"
    plain = SearchSettings(tune_share=0.0)
    run = fakes(proposer=Repeating(repeated), settings=plain).run(patience=9)
    assert run.stopped is StopReason.PATIENCE
    assert run.search.tally.evaluations == 1
    assert run.search.tally.rejections["duplicate"] >= 8


def test_a_stop_file_ends_the_asking(fakes: Make) -> None:
    """What is in flight is told, and the same campaign goes on without the file."""
    first = fakes()

    def stop(campaign: Any) -> None:
        if campaign.search.tally.told == 7:
            (first.folder / "STOP").touch()

    first.observe = stop
    run = first.run(iterations=30)
    assert run.stopped is StopReason.STOP_FILE
    assert 7 < run.search.tally.told < 30
    (first.folder / "STOP").unlink()
    assert fakes().run(iterations=30).search.tally.told == 30


def test_no_code_is_evaluated_twice(fakes: Make) -> None:
    """Candidates are unique, and a repeated text is a rejection with its reason."""
    made = fakes()
    run = made.run(iterations=150)
    train = [text for text, split in made.evaluator.evaluated if split == "train"]
    assert len(train) == len({*train})
    tally = run.search.tally
    assert tally.rejections["duplicate"] > 0
    assert tally.evaluations + sum(tally.rejections.values()) == tally.told == 150
    assert made.sandbox.described.count(START) <= 1 + tally.rejections["duplicate"]


def test_a_start_program_that_lost_its_cell_is_known(fakes: Make) -> None:
    """Proposed again it is a duplicate."""
    worse = START.replace("5.0", "6.0")
    run = fakes(starts=(START, worse), proposer=Repeating(worse)).run(iterations=2)
    assert run.search.tally.rejections == {"duplicate": 2}
    assert worse not in [e.candidate.files["heuristic.py"] for e in run.search.archive.elites()]


@pytest.mark.parametrize("reason", [RejectionReason.NO_CODE, RejectionReason.REFUSED_BY_MODEL])
def test_a_rejection_ends_its_iteration(fakes: Make, reason: RejectionReason) -> None:
    """It is counted by its reason and never evaluated."""

    class Silent:
        def propose(self, *_: Any) -> Rejection:
            return Rejection(reason, "prose", Origin.IMPROVE, "improve")

    made = fakes(proposer=Silent(), settings=SearchSettings(tune_share=0.0))
    run = made.run(iterations=3)
    assert run.search.tally.rejections == {reason.value: 3}
    assert [split for _, split in made.evaluator.evaluated] == ["valid"]


def test_every_evaluation_ends_where_its_race_says(fakes: Make) -> None:
    """Stopped candidates were stopped at the first reason, complete ones had none, tuned ones too."""
    settings = SearchSettings(race_level=0.05, tune_share=0.3, tune_evaluations=30)
    made = fakes(settings=settings)
    made.run(iterations=300)
    ends: Counter[str] = Counter()
    with closing(Reader.open(made.folder)) as read:

        def scores(program: str) -> Any:
            found = read.evaluation(program, "train")
            assert found is not None
            return found

        def losses(program: str) -> list[float]:
            return [float(score.excess) for score in scores(program).scores]

        def answers(program: str) -> list[str | None]:
            return [score.answer_digest for score in scores(program).scores]

        for row in read.iterations():
            if row.candidate is None or row.incumbent is None:
                continue
            evaluation = scores(row.candidate)
            if evaluation.status is EvaluationStatus.FAILED:
                continue
            first = answers(row.parents[0])[: alike_after(8)]
            race = PairedRace(tuple(losses(row.incumbent)), 0.05, True, tuple(first))
            mine, said = losses(row.candidate), answers(row.candidate)
            whole = len(race.incumbent)
            end = next((n for n in range(1, whole) if race.lost(mine[:n], said[:n])), None)
            if evaluation.status is EvaluationStatus.STOPPED:
                assert end == len(mine) < whole
                ends["alike" if race.alike(said) else "worse"] += 1
            else:
                assert end is None
                assert len(mine) == whole
                ends["complete"] += 1
            candidate = read.candidate(row.candidate)
            ends["tuned"] += candidate is not None and candidate.operator == OPERATOR
    assert min(ends["alike"], ends["worse"], ends["complete"], ends["tuned"]) > 3, ends


@pytest.mark.parametrize("origin", [Origin.SIMPLIFY, Origin.IMPROVE])
def test_a_simplification_with_the_same_answers_takes_the_place_of_its_parent(
    fakes: Make, origin: Origin
) -> None:
    """It is executed to the end and kept; any other program with these answers is stopped as a duplicate."""

    class Shorter:
        """Leaves out the summand that has no effect."""

        def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal:
            """See `Proposer`."""
            return Proposal({"heuristic.py": START}, origin, origin.value)

    campaign = fakes(
        starts=(START.rstrip("\n") + " + 0.0\n",),
        proposer=Shorter(),
        population=PopulationSettings(islands=1),
        settings=SearchSettings(tune_share=0.0, fresh_share=0.0, fresh_until=0),
        pace=Pace(1),
        guided=True,
    )
    elites = campaign.run(iterations=1).search.archive.elites()
    simplified = origin is Origin.SIMPLIFY
    assert (START in {next(iter(elite.candidate.files.values())) for elite in elites}) is simplified
    assert ("stopped" in {row[2] for row in campaign.course()["evaluations"]}) is not simplified


def test_random_changes_are_not_raced(fakes: Make) -> None:
    """A drift without selection: what is worse is executed to its end too, and may be a parent."""
    made = fakes(control=Control.RANDOM)
    made.run(iterations=40)
    with closing(Reader.open(made.folder)) as read:
        rows = list(read.iterations())
        fitness = dict(read.best("train"))
    assert not [row for row in rows if row.incumbent]
    assert min(fitness[row.parents[0]] for row in rows) < fitness[rows[0].parents[0]]


def test_seeds_differ_and_the_same_seed_does_not(fakes: Make) -> None:
    """Another seed searches elsewhere; the same seed asks for the same."""
    courses = []
    for name, seed in (("one", 1), ("two", 2), ("again", 1)):
        made = fakes(name, seed=seed)
        made.run(iterations=30)
        courses.append(made.course())
    assert courses[0] == courses[2]
    assert courses[0] != courses[1]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_champion_is_the_best_of_all_that_were_validated(fakes: Make, seed: int) -> None:
    """Also of those that lost their only cell to a candidate that is better in training alone."""
    settings = SearchSettings(validate_every=1, fresh_share=0.0, tune_share=0.0)
    made = fakes(seed=seed, settings=settings, population=PopulationSettings(islands=1))
    noise = random.Random(seed)
    evaluate = made.evaluator.evaluate

    def noisy(program: Any, split: str, *rest: Any, **more: Any) -> Any:
        found = evaluate(program, split, *rest, **more)
        if split == "valid" and found.fitness is not None:
            return replace(found, fitness=found.fitness + noise.random())
        return found

    made.evaluator.evaluate = noisy
    made.folder.mkdir()
    store = Store(made.folder)
    campaign = made.campaign(store, iterations=60)
    campaign.run()
    best = champion.choose(campaign, ChampionSettings(champions=1), 0.0, surpasses)
    validated = dict(store.read.best("valid"))
    assert best is not None
    assert validated[best.candidate.id] == max(validated.values())
    assert len(validated) > 3
    assert champion.evaluate_on_test(campaign, best.candidate).split == "test"
    tested = made.evaluator.evaluated.count((best.candidate.files["heuristic.py"], "test"))
    champion.evaluate_on_test(campaign, best.candidate)
    assert made.evaluator.evaluated.count((best.candidate.files["heuristic.py"], "test")) == tested == 1
    campaign.close()
    store.close()
