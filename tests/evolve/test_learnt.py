"""What a search learns for the prompts of models: attempts and complements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation, EvaluationStatus, ReferenceKind, Score, ScoreStatus
from gapsmith.evolve.course import Pace, TellOrder
from gapsmith.evolve.history import BEST, NEWEST, AttemptLog, Strata
from gapsmith.evolve.llm.replies import MOST_CHARACTERS, idea_of
from gapsmith.evolve.search import SearchSettings
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.types import (
    AddStatus,
    Alike,
    Candidate,
    Complete,
    Elite,
    End,
    Failed,
    Origin,
    Proposal,
    Refused,
    Rejection,
    RejectionReason,
    Worse,
)
from gapsmith.problems.base import Instance
from gapsmith.sandbox.base import Description

from .fakes import FakeProposer

Make = Callable[..., Any]
HARD = {"train-0": "hard", "train-1": "hard", "train-2": "easy", "train-3": "late"}


def candidate(id: str, idea: str = "") -> Candidate:
    """A candidate that is known by its id."""
    return Candidate(id, {"h.py": id}, (), Origin.IMPROVE, "improve", 0, 1, Description(), idea)


def evaluated(
    losses: Mapping[str, float], status: EvaluationStatus = EvaluationStatus.COMPLETE
) -> Evaluation:
    """A training evaluation with a loss on each instance."""
    scores = tuple(
        Score(id, ScoreStatus.OK, 1 + loss, 1, ReferenceKind.OPTIMUM, loss, loss, 0.1, f"{id} {loss}")
        for id, loss in losses.items()
    )
    complete = status is EvaluationStatus.COMPLETE
    return Evaluation("train", scores, status, -sum(losses.values()) / len(losses) if complete else None)


def loss_of(score: Score) -> float | None:
    """What an execution lost."""
    return None if score.excess is None else float(score.excess)


def elite(id: str, *losses: float) -> Elite:
    """An elite with these losses on the four instances of `HARD`."""
    return Elite(candidate(id), evaluated(dict(zip(HARD, losses, strict=True))), 0, (0,), (0.0,))


@pytest.fixture
def strata() -> Strata:
    """Strata of the four instances."""
    instances = {id: Instance(id, "train", name, {}, 1, "test") for id, name in HARD.items()}
    return Strata(instances, loss_of)


@pytest.mark.parametrize(
    ("reply", "idea"),
    [
        ("Sort by slack first.\nThen swap.\n```python\nx\n```", "Sort by slack first. Then swap."),
        ("## Change\n\n**Sort** by slack.\n\nMore words.\n```python\nx\n```", "Sort by slack."),
        ("```python\nx\n```\nI sort by slack.", "I sort by slack."),
        (
            "Thoughts.</think>Sort by\u200b slack.\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE",
            "Sort by slack.",
        ),
        ("```python\nx\n```", ""),
        ("", ""),
    ],
)
def test_the_sentence_of_a_reply(reply: str, idea: str) -> None:
    """The prose before the code, or after it, on one line without decoration and unseen characters."""
    assert idea_of(reply) == idea


def test_a_long_sentence_is_cut_at_a_word() -> None:
    """A page of prose is kept up to the limit."""
    idea = idea_of("word " * 1000)
    assert len(idea) <= MOST_CHARACTERS + 2
    assert idea.endswith("word …")


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    """Whole sentences are kept where they are most of the limit; 3.5 ends none."""
    first = "The gap grows by a factor of 3.5 where jobs are late. " * (MOST_CHARACTERS // 60)
    assert idea_of(f"{first}{'word ' * 99}") == f"{first.strip()} …"


def test_complements_win_where_the_best_loses(strata: Strata) -> None:
    """The first wins the most against the best, the second what is left; a worse program wins nothing."""
    best = elite("best", 0.1, 0.1, 0.3, 0.4)
    late = elite("late", 0.5, 0.5, 0.35, 0.0)
    easy = elite("easy", 0.5, 0.5, 0.1, 0.3)
    worse = elite("worse", 0.5, 0.5, 0.5, 0.5)
    complements = strata.complements(best, [best, worse, easy, late, late])
    assert [(c.elite.candidate.id, c.strata) for c in complements] == [
        ("late", ("late",)),
        ("easy", ("easy",)),
    ]
    assert strata.complements(best, [best, worse]) == ()


def test_each_attempt_says_how_it_ended() -> None:
    """Newest first, each with its sentence; a rejected reply is no attempt."""
    attempts = AttemptLog(4, loss_of)
    whole = evaluated(dict.fromkeys(HARD, 0.5))
    part = evaluated({"train-0": 0.9, "train-1": 0.9}, EvaluationStatus.STOPPED)
    crash = Score(
        "train-0", ScoreStatus.RAISED, None, 1, ReferenceKind.OPTIMUM, None, None, 0.1, message="no\nx"
    )
    broken = Evaluation("train", (crash,), EvaluationStatus.FAILED, None)
    attempts.add(Complete(candidate("kept", "Sort."), whole), AddStatus.NEW, None, ("p",))
    attempts.add(Complete(candidate("behind"), whole), AddStatus.NOT_ADDED, None, ("p",))
    attempts.add(Complete(candidate("twin"), whole), AddStatus.NOT_ADDED, "kept", ("p",))
    same = replace(part, scores=whole.scores[:2])
    attempts.add(Alike(candidate("alike"), same), AddStatus.NOT_ADDED, None, ("kept",))
    attempts.add(Worse(candidate("stopped"), part), AddStatus.NOT_ADDED, None, ("p",), "kept")
    attempts.add(Failed(candidate("failed"), broken), AddStatus.NOT_ADDED, None, ("p",))
    no = Rejection(RejectionReason.NO_CODE, "prose", Origin.IMPROVE, "improve")
    attempts.add(Refused(no), None, None, ("p",))
    assert [(a.id, a.idea, a.loss, a.end, a.duplicate, a.reason) for a in attempts.lines()] == [
        ("failed", "", None, End.FAILED, "", "raised: no"),
        ("stopped", "", None, End.STOPPED, "", ""),
        ("alike", "", None, End.STOPPED, "kept", ""),
        ("twin", "", 0.5, End.DUPLICATE, "kept", ""),
        ("behind", "", 0.5, End.BEHIND, "", ""),
        ("kept", "Sort.", 0.5, End.KEPT, "", ""),
    ]


def test_a_stopped_attempt_carries_its_loss_beside_its_rivals_on_the_same_instances() -> None:
    """Means over the instances that were executed, whatever the order; none without an incumbent."""
    incumbent = Elite(
        candidate("rival"), evaluated(dict(zip(HARD, (0.1, 0.2, 0.3, 0.9), strict=True))), 0, (0,), (0.0,)
    )
    attempts = AttemptLog(4, loss_of, [incumbent])
    part = evaluated({"train-3": 1.0, "train-1": 0.4}, EvaluationStatus.STOPPED)
    attempts.add(Worse(candidate("raced"), part), AddStatus.NOT_ADDED, None, ("p",), "rival")
    attempts.add(Worse(candidate("alone"), part), AddStatus.NOT_ADDED, None, ("p",))
    alone, raced = attempts.lines()
    assert alone.means is None
    assert raced.means == pytest.approx((0.7, 0.55))
    assert (raced.executed, raced.instances) == (2, 4)


def test_an_attempt_carries_its_difference_to_its_parent_on_the_same_instances() -> None:
    """Paired: of a candidate that was stopped on the executed instances; with an interval from five on."""
    names = [f"train-{n}" for n in range(5)]
    before, after = ((0.1, 0.2, 0.3, 0.9, 0.5), (0.0, 0.2, 0.1, 0.9, 0.5))
    parent = Elite(candidate("p"), evaluated(dict(zip(names, before, strict=True))), 0, (0,), (0.0,))
    attempts = AttemptLog(5, loss_of, [parent])
    whole = evaluated(dict(zip(names, after, strict=True)))
    attempts.add(Complete(candidate("c"), whole), AddStatus.NOT_ADDED, None, ("p",))
    part = evaluated({"train-3": 1.0, "train-1": 0.4}, EvaluationStatus.STOPPED)
    attempts.add(Worse(candidate("s"), part), AddStatus.NOT_ADDED, None, ("p",))
    attempts.add(Worse(candidate("o"), part), AddStatus.NOT_ADDED, None, ("unknown",))
    other, stopped, complete = attempts.lines()
    assert complete.difference == pytest.approx((-0.06, 2.776 * 0.0894427 / 5**0.5, 5), rel=0.01)
    assert stopped.difference == (pytest.approx(0.15), None, 2)
    assert other.difference is None
    assert complete.losses == dict(zip(names, after, strict=True))


def test_the_newest_come_before_the_best_of_the_older() -> None:
    """However long a campaign is, a prompt is given the same number of attempts, none of them twice."""
    attempts = AttemptLog(4, loss_of)
    for number in range(100):
        loss = abs(number - 30) / 100
        attempts.add(
            Complete(candidate(str(number)), evaluated(dict.fromkeys(HARD, loss))), AddStatus.NEW, None, ()
        )
    lines = attempts.lines()
    assert [line.id for line in lines[:NEWEST]] == [str(n) for n in range(99, 99 - NEWEST, -1)]
    older = [line.loss for line in lines[NEWEST:]]
    assert len(older) == BEST
    assert older[0] == 0.0
    assert all(a is not None and b is not None and a <= b for a, b in pairwise(older))


class Telling:
    """A proposer of fake programs that says what it changes."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.seen = inner.seen

    def propose(self, parents: Any, context: Any, rng: Any) -> Any:
        """See `Proposer`."""
        made = self._inner.propose(parents, context, rng)
        if isinstance(made, Proposal):
            return replace(made, idea=f"Idea {context.iteration}.")
        return made


def test_a_resumed_campaign_tells_models_what_an_unbroken_one_tells(fakes: Make, tmp_path: Path) -> None:
    """Best, complements and attempts with their sentences are the same after a stop, ask by ask."""
    settings = SearchSettings(tune_share=0.2, tune_evaluations=5)
    parts = {"settings": settings, "guided": True, "pace": Pace(3, TellOrder.SUBMITTED)}
    whole = fakes("whole", proposer=Telling(FakeProposer([])), **parts)
    whole.run(iterations=40)
    cut = fakes("cut", proposer=Telling(FakeProposer([])), **parts)
    cut.run(iterations=17)
    cut.run(iterations=40)

    def told(proposer: Telling) -> dict[int, Any]:
        return {
            context.iteration: (
                context.best.candidate.id,
                [(c.elite.candidate.id, c.strata) for c in context.complements],
                context.attempts,
                [elite.candidate.id for elite in context.inspirations],
            )
            for context in proposer.seen
        }

    assert told(cut.proposer) == told(whole.proposer)
    last = max(told(whole.proposer))
    best, _, attempts, *_ = told(whole.proposer)[last]
    ends = {attempt.end for _, _, lines, *_ in told(whole.proposer).values() for attempt in lines}
    assert ends >= {End.KEPT, End.FAILED, End.STOPPED}
    assert all(
        a.means is not None and a.executed < a.instances
        for _, _, lines, *_ in told(whole.proposer).values()
        for a in lines
        if a.end is End.STOPPED
    )
    assert all(attempt.idea.startswith("Idea ") for attempt in attempts)
    with closing(Reader.open(whole.folder)) as read:
        found = read.candidate(best)
        assert found is not None
        assert found.idea == f"Idea {found.iteration}."
