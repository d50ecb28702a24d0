"""When a model is asked, and what: no prompt twice, and not before an evaluation that ends soon."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from gapsmith.evolve.agenda import NotesSchedule
from gapsmith.evolve.llm.prompt_register import PromptRegister
from gapsmith.evolve.types import Prompt

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
