"""A budget of seconds has time for some validations at the end; the record says which were left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gapsmith.evolve.campaign
import pytest
from gapsmith.evaluators.statistics import surpasses
from gapsmith.evolve import champion
from gapsmith.evolve.campaign import Campaign
from gapsmith.evolve.champion import ReserveEstimate, TimeReserve, per_execution
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.store.store import Store
from gapsmith.evolve.types import Elite, unique
from gapsmith.evolve.validation import ChampionSettings

from .fakes import FakeEvaluator, numbers

Make = Callable[..., Any]
COUNT = 8
RESERVE = ReserveEstimate({"valid": float(COUNT), "test": float(COUNT)}, champions=10, slots=1)
"""All splits are equally long, and one program runs at once."""


class Clock:
    """Seconds that pass while something is validated, and at no other time."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        """See `time.monotonic`."""
        return self.now


class Slow(FakeEvaluator):
    """Programs take 0.1 to 1 s of CPU time an instance, as their first number says."""

    clock = Clock()

    def evaluate(self, *of: Any, **how: Any) -> Any:
        """See `Evaluator`."""
        found = super().evaluate(*of, **how)
        seconds = 0.1 * (1 + int(numbers(of[0].main)[0] * 100) % 10)
        scores = tuple(replace(score, cpu_seconds=seconds) for score in found.scores)
        if found.split == "valid":
            self.clock.now += seconds * len(scores)
        return replace(found, scores=scores)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of campaigns and of their validations."""
    found = Clock()
    monkeypatch.setattr(Slow, "clock", found)
    monkeypatch.setattr(gapsmith.evolve.campaign, "time", SimpleNamespace(monotonic=found.monotonic))
    return found


@contextmanager
def searched(
    fakes: Make, name: str = "run", left_out: Iterable[str] = (), **limits: Any
) -> Iterator[Campaign]:
    """A campaign after its search on islands of their own, none of whose elites is validated yet."""
    made = fakes(name, evaluator=Slow(COUNT))
    made.population = replace(made.population, islands=8, migration_every=10**6, reset_after=10**6)
    made.settings = replace(made.settings, validate_every=10**6)
    made.folder.mkdir()
    with closing(Store(made.folder)) as store:
        campaign = made.campaign(store, iterations=120, **limits)
        campaign.validation.left_out.update(left_out)
        campaign.run()
        yield campaign
        campaign.close()


def elites(campaign: Campaign) -> list[Elite]:
    """The elites that are to be validated, best first."""
    return unique(campaign.search.archive.elites())[:10]


def chosen(campaign: Campaign, keeper: TimeReserve | None) -> str:
    """The id of the champion."""
    found = champion.choose(campaign, ChampionSettings(), 0.0, surpasses, keeper)
    assert found is not None
    return found.candidate.id


def end(campaign: Campaign, elite: Elite) -> float:
    """Seconds of the validation of an elite and of both tests."""
    return COUNT * (2 * per_execution(elite.evaluation) + per_execution(campaign.search.start.evaluation))


def test_elites_are_validated_best_first_while_validation_and_test_fit(fakes: Make, clock: Clock) -> None:
    """A quick elite may still fit where a slow one, better in training, does not."""
    with searched(fakes, seconds=20.0) as campaign:
        began, expected, left_out = clock.now, [], set()
        now = began
        for elite in elites(campaign):
            if campaign.validation.has(elite.candidate.id):
                continue
            if now + end(campaign, elite) <= 20.0:
                expected.append(elite.candidate.id)
                now += sum(score.cpu_seconds for score in elite.evaluation.scores)
            else:
                left_out.add(elite.candidate.id)
        before = set(campaign.validation.evaluations)
        best = chosen(campaign, TimeReserve(RESERVE, clock=clock.monotonic))
        assert [id for id in campaign.validation.evaluations if id not in before] == expected
        assert campaign.validation.left_out == left_out
        assert expected
        assert left_out
        assert best in campaign.validation.evaluations
        assert began < clock.now <= 20.0


def test_preparation_is_taken_off_and_no_limit_leaves_nothing_out(fakes: Make, clock: Clock) -> None:
    """What the preparation took is not left for the end."""
    counts = []
    for number, (prepared, limits) in enumerate(
        [(0.0, {}), (0.0, {"seconds": 20.0}), (15.0, {"seconds": 20.0})]
    ):
        with searched(fakes, f"run-{number}", **limits) as campaign:
            chosen(campaign, TimeReserve(RESERVE, prepared, clock=clock.monotonic))
            counts.append(len(campaign.validation.left_out))
    assert counts[0] == 0 < counts[1] < counts[2]


def test_one_that_the_search_found_is_validated_though_none_fits(fakes: Make, clock: Clock) -> None:
    """The quickest of those that are better in training than the start program."""
    with searched(fakes, seconds=20.0) as campaign:
        start = campaign.search.start
        better = [e for e in elites(campaign) if e.fitness > start.fitness]
        quickest = min(better, key=lambda elite: end(campaign, elite))
        assert len(better) > 1
        assert chosen(campaign, TimeReserve(RESERVE, 1e3, clock=clock.monotonic)) == quickest.candidate.id
        assert set(campaign.validation.evaluations) == {start.candidate.id, quickest.candidate.id}


def test_a_replay_leaves_out_what_the_record_names(fakes: Make, clock: Clock, tmp_path: Path) -> None:
    """It has no clock, and chooses the same champion from the same evaluations."""
    with searched(fakes, seconds=20.0) as campaign:
        best = chosen(campaign, TimeReserve(RESERVE, clock=clock.monotonic))
        evaluations, left_out = dict(campaign.validation.evaluations), sorted(campaign.validation.left_out)
        assert left_out
    with searched(fakes, "again", left_out) as campaign:
        assert chosen(campaign, None) == best
        assert campaign.validation.evaluations == evaluations


def test_what_an_earlier_session_validated_needs_no_time(fakes: Make, clock: Clock) -> None:
    """An evaluation that the record holds is taken before any other is made."""
    with searched(fakes, seconds=20.0) as campaign:
        store, evaluator = campaign.ports.store, campaign.ports.evaluator
        last = elites(campaign)[-1]
        executor: Any = campaign.ports.executor
        made = executor.done(EvaluationJob(evaluator.program(last.candidate.files), "valid"))
        store.put_evaluation(last.candidate.id, made, "fake")
        chosen(campaign, TimeReserve(RESERVE, 1e3, clock=clock.monotonic))
        assert last.candidate.id in campaign.validation.evaluations
        assert campaign.validation.left_out == {elite.candidate.id for elite in elites(campaign)[:-1]}
