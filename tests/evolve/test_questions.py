"""When a model is asked, and what: no prompt twice, and not before an evaluation that ends soon."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Any

import pytest
from gapsmith.evaluators.base import Evaluation
from gapsmith.evolve.agenda import NotesSchedule
from gapsmith.evolve.campaign import Pace
from gapsmith.evolve.course import TellOrder
from gapsmith.evolve.executor import EvaluationJob
from gapsmith.evolve.iteration import SHARE, AskPacing
from gapsmith.evolve.llm.prompt_register import PromptRegister
from gapsmith.evolve.search_settings import PopulationSettings, SearchSettings
from gapsmith.evolve.store.reader import Reader
from gapsmith.evolve.testing import FakeEvaluator, FakeExecutor, FakeProposer
from gapsmith.evolve.types import Context, Elite, Prompt, Proposal, Rejection

Make = Callable[..., Any]
SAME = Prompt("system", "user\n")


def test_a_prompt_that_was_sent_says_how_often() -> None:
    """Each time another text; an iteration that is asked again after a stop sends its own text again."""
    asked = PromptRegister([(3, SAME)])
    assert asked.is_new(3, SAME)
    assert asked.take(3, SAME) == SAME
    texts = [asked.take(number, SAME).user for number in (4, 5, 6)]
    assert ["once." in texts[0], "2 times." in texts[1], "3 times." in texts[2]] == [True] * 3
    assert len({SAME.user, *texts}) == 4
    again = PromptRegister([(3, SAME), (4, Prompt("system", texts[0]))])
    assert again.take(4, SAME).user == texts[0]


def test_seconds_make_no_other_question() -> None:
    """A prompt that differs in measured seconds alone was asked before; another number makes another one."""
    asked = PromptRegister([(3, Prompt("system", "takes 0.0059 s of 12 jobs"))])
    assert not asked.is_new(4, Prompt("system", "takes 0.00662 s of 12 jobs"))
    assert asked.is_new(4, Prompt("system", "takes 0.0059 s of 13 jobs"))


def test_questions_are_worded_in_the_order_of_their_iterations() -> None:
    """Whichever thread comes first: later iterations wait for all earlier ones that were announced."""
    asked, order = PromptRegister([]), []
    numbers = list(range(1, 9))
    for number in numbers:
        asked.expect(number)

    def word(number: int) -> None:
        time.sleep(random.Random(number).random() / 50)
        with asked.turn(number):
            order.append(number)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(word, reversed(numbers)))
    assert order == numbers


def test_a_question_that_cannot_be_worded_holds_nobody_up() -> None:
    """An error gives the turn to the next one, and a campaign that ends lets everybody through."""
    asked = PromptRegister([])
    asked.expect(1)
    asked.expect(2)
    with pytest.raises(ValueError, match="no"), asked.turn(1):
        raise ValueError("no")
    asked.expect(1)
    asked.close()
    with asked.turn(2):
        assert asked.is_new(2, SAME)


def test_with_many_under_way_no_ask_waits() -> None:
    """Where few are under way, the same ask waits for the evaluation that is about to end."""
    for in_flight, waits in ((16, True), (17, False)):
        now = [10.0]
        pauses = AskPacing(in_flight, lambda now=now: now[0])
        pauses.replied(0.0)
        pauses.evaluated(7.0)
        assert pauses.should_wait([8.9]) is waits


def test_an_ask_waits_only_for_what_ends_soon() -> None:
    """Under a fifth of the median latency, once for each ask, and not before anything was measured."""
    now = [0.0]
    pauses = AskPacing(8, lambda: now[0])
    assert not pauses.should_wait([0.0])
    now[0] = 10.0
    pauses.replied(0.0)
    pauses.evaluated(7.0)  # a usual evaluation takes 3 s, a reply 10 s
    assert SHARE * 10.0 == 2.0
    assert not pauses.should_wait([])
    assert not pauses.should_wait([10.0])  # 3 s left
    assert pauses.should_wait([8.9])  # 1.9 s left
    now[0] = 11.9
    assert pauses.should_wait([8.9])  # late, but the pause is not over
    now[0] = 12.1
    assert not pauses.should_wait([8.9])
    pauses.opened()
    assert pauses.should_wait([8.9])


class Slow(FakeExecutor):
    """Evaluations take a while."""

    def __init__(self, evaluator: FakeEvaluator, seconds: float) -> None:
        super().__init__(evaluator)
        self._seconds = seconds

    def submit(self, job: EvaluationJob) -> Future[Evaluation]:
        """See `Executor`."""
        future: Future[Evaluation] = Future()
        threading.Timer(self._seconds, lambda: future.set_result(self.done(job))).start()
        return future


class Waiting:
    """A proposer that takes as long as a model; notes how many outcomes each prompt could know."""

    def __init__(self) -> None:
        self._inner = FakeProposer([])

    def propose(self, parents: Sequence[Elite], context: Context, rng: random.Random) -> Proposal | Rejection:
        """See `Proposer`."""
        time.sleep(0.4)
        return self._inner.propose(parents, context, rng)


@pytest.mark.slow
def test_a_quick_evaluation_is_told_before_the_next_ask(fakes: Make) -> None:
    """With one question at a time, every ask but the first knows the outcome of the one before."""
    evaluator = FakeEvaluator()
    campaign = fakes(
        "quick",
        proposer=Waiting(),
        evaluator=evaluator,
        executor=Slow(evaluator, 0.005),
        population=PopulationSettings(islands=1),
        settings=SearchSettings(tune_share=0.0, fresh_share=0.0, fresh_until=0),
        pace=Pace(1, TellOrder.COMPLETED, waits=True),
        guided=True,
    )
    campaign.run(iterations=5)
    with closing(Reader.open(campaign.folder)) as read:
        rows = read.rows("SELECT iteration, asked_at, told_at FROM iterations ORDER BY iteration")
    known = [sum(other["told_at"] <= row["asked_at"] for other in rows) for row in rows]
    assert known[0] == 0
    assert known[2:] == [row["iteration"] - 1 for row in rows[2:]]


def test_a_page_is_shown_after_the_outcome_of_its_ask():
    """What an ask shows follows from the order of asks and outcomes, whichever page was written first."""
    pages = NotesSchedule(2)
    for number in (1, 2):
        pages.ask(number)
        pages.tell(number)
    for number in (3, 4):
        pages.ask(number)
    for number in (11, 12):
        pages.tell(number)
    pages.ask(5)
    assert [pages.writes(number) for number in (3, 4, 5)] == [True, False, True]
    shown = []
    for number in (4, 5, 3):
        pages.tell(number)
        shown.append(pages.shown)
    assert shown == [(), (5,), (5, 3)]
