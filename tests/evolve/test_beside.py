"""The offline proposer beside models: its own iterations, in a fixed rhythm, which teach models nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gapsmith.evolve.course import Pace, TellOrder
from gapsmith.evolve.search import PopulationSettings, SearchSettings

from .fakes import FakeProposer

Make = Callable[..., Any]
PARTS: dict[str, Any] = {
    "population": PopulationSettings(islands=1),
    "settings": SearchSettings(tune_share=0.2, tune_evaluations=5, fresh_share=0.0, fresh_until=0),
    "pace": Pace(3, TellOrder.SUBMITTED, waits=True),
    "guided": True,
    "offline_share": 0.75,
}


def numbers(proposer: FakeProposer) -> list[int]:
    """The iterations that a proposer was asked for, in order."""
    return sorted(context.iteration for context in proposer.seen)


def test_both_proposers_get_their_share_and_models_read_of_models_alone(fakes: Make) -> None:
    """Three of four iterations are the offline proposer's; models read of models alone."""
    model, offline = FakeProposer([]), FakeProposer([])
    campaign = fakes(proposer=model, beside=offline, **PARTS).run(iterations=60)
    of_model, of_offline = numbers(model), numbers(offline)
    assert not set(of_model) & set(of_offline)
    assert 2.4 * len(of_model) <= len(of_offline) <= 3.6 * len(of_model)
    assert all(not context.attempts for context in offline.seen)
    assert all(context.failed is None for context in offline.seen)
    told = {attempt.id for context in model.seen for attempt in context.attempts}
    made = {id: c.iteration for id, c in campaign.search.memory.candidates.items()}
    assert told
    assert {made[id] for id in told} <= {0, *of_model}
    assert any(context.best and made[context.best.candidate.id] in of_offline for context in model.seen)


def test_a_campaign_with_both_is_resumed_exactly(fakes: Make) -> None:
    """Stopped and gone on with, it takes the course of one that was left alone, and each asks the same."""
    whole = fakes("whole", proposer=FakeProposer([]), beside=FakeProposer([]), **PARTS)
    whole.run(iterations=48)
    cut = fakes("cut", proposer=FakeProposer([]), beside=FakeProposer([]), **PARTS)
    cut.run(iterations=19)
    cut.run(iterations=48)
    assert cut.course() == whole.course()
    assert numbers(cut.beside) == numbers(whole.beside)
    assert numbers(cut.proposer) == numbers(whole.proposer)
