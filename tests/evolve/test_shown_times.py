"""What a prompt says of CPU times: nothing by default, else the parent's time, its incumbents and one
wish."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gapsmith.evolve.llm.prompt_scores import time_sentences
from gapsmith.evolve.timing import Times

FLOOR = 0.004


def _parent(seconds: float) -> Any:
    scores = [SimpleNamespace(cpu_seconds=FLOOR + seconds)] * 3
    return SimpleNamespace(evaluation=SimpleNamespace(scores=scores))


def _context(iteration: int, times: Times | None) -> Any:
    return SimpleNamespace(iteration=iteration, times=times)


def test_a_campaign_without_times_says_nothing_of_them() -> None:
    """Default prompts stay as they are."""
    assert time_sentences(_parent(0.002), _context(1, None)) == ""


def test_a_time_budget_is_told_without_classes() -> None:
    """The parent's time to two digits and the limit of the result."""
    text = time_sentences(_parent(0.0123), _context(1, Times(FLOOR, 0.01)))
    assert "takes 12 ms" in text
    assert "at most 10 ms" in text
    assert "Slower programs help" in text
    assert "Wanted" not in text


def test_every_second_ask_wants_a_program_over_the_budget_to_be_as_good_within_it() -> None:
    """A parent that keeps to the budget has no need of it."""
    times = Times(FLOOR, 0.01)
    assert "Wanted now: answers as good with less work, within 10 ms." in time_sentences(
        _parent(0.0123), _context(2, times)
    )
    assert "Wanted" not in time_sentences(_parent(0.0088), _context(2, times))


def test_losses_stand_by_class_and_wishes_take_turns() -> None:
    """A smaller gap within the class, the same answers faster, and a slower better program."""
    times = Times(FLOOR, None, {0: 1.8, 1: 0.9, 3: 0.2})
    texts = [time_sentences(_parent(0.0021), _context(number, times)) for number in range(3)]
    assert all("1.80 % in faster classes, 0.900 % in its own class, 0.200 % in slower" in t for t in texts)
    assert "a smaller gap within 4 ms" in texts[0]
    assert "the same answers with less work, within 1 ms" in texts[1]
    assert "you may spend up to 16 ms" in texts[2]


def test_the_fastest_class_is_not_asked_to_be_faster() -> None:
    """Below a millisecond nothing can be told apart."""
    times = Times(FLOOR, None, {0: 1.8})
    texts = [time_sentences(_parent(0.0005), _context(number, times)) for number in range(4)]
    assert not any("less work" in text for text in texts)
