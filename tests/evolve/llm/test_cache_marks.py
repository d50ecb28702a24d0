"""Marks for a provider's cache: where they stand, what they count as, and servers that know none."""

from decimal import Decimal

from gapsmith.evolve.llm.base import Request, Transcript, Turn
from gapsmith.evolve.llm.clients import openai_model
from gapsmith.evolve.llm.parameters import Parameters
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

MARK = {"type": "ephemeral"}
PROMPT = Prompt("You write code.", "Write a rule.")


def marked(messages):
    """Places of marked messages, and the text of each, marked or not."""
    places = [place for place, one in enumerate(messages) if isinstance(one["content"], list)]
    for place in places:
        (part,) = messages[place]["content"]
        assert part["cache_control"] == MARK
    return places


def test_system_text_and_question_are_marked(loopback):
    """What is sent has the same texts, in parts that a provider keeps; without `cache` nothing is marked."""
    server = loopback(keeps_messages=True)
    for cache in (True, False):
        table = ModelSettings(spec="openai/loopback", base_url=server.url, cache=cache)
        model = openai_model(table, {})
        assert model.complete(Request(PROMPT, 1000, 20.0, 1)).text
        assert model.notes == []
        model.close()
    with_marks, without = (one["messages"] for one in server.seen()["requests"])
    assert marked(with_marks) == [0, 1]
    assert [one["content"][0]["text"] for one in with_marks] == [one["content"] for one in without]
    assert marked(without) == []


def test_a_conversation_is_marked_at_both_ends():
    """System text, opening and newest message: at most three marks, however long the conversation is."""
    turns = tuple(Turn(f"reply {n}", (f"answer {n}",)) for n in range(5))
    parameters = Parameters({}, "max_tokens", cache=True)
    asked = parameters.question(PROMPT, 1000, Transcript("Open.", turns, ()))
    assert marked(asked.messages) == [0, 1, len(asked.messages) - 1]
    shorter = parameters.question(PROMPT, 1000, Transcript("Open.", turns[:4], ()))
    assert asked.messages[1] == shorter.messages[1]


def test_a_server_that_knows_no_marks_is_asked_without(loopback):
    """The refusal is no failure: the question is asked again, once, and a note says so."""
    server = loopback(faults=["no-marks"], keeps_messages=True)
    model = openai_model(ModelSettings(spec="openai/loopback", base_url=server.url, cache=True), {})
    for _ in range(2):
        assert model.complete(Request(PROMPT, 1000, 20.0, 1)).text
    notes = model.notes
    model.close()
    assert [bool(marked(one["messages"])) for one in server.seen()["requests"]] == [True, False, False]
    assert len(notes) == 1
    assert "cache = false" in notes[0]


def test_caps_count_what_writing_costs():
    """Input that is not read from the cache may be written into it, a quarter dearer."""
    prices = {"price_in_usd_per_million": Decimal(4), "price_out_usd_per_million": Decimal(20)}
    prices["price_cached_usd_per_million"] = Decimal("0.4")
    plain = ModelSettings(spec="openai/x", **prices).price
    dear = ModelSettings(spec="openai/x", cache=True, **prices).price
    assert plain.cost(1_000_000, 0, 500_000) == Decimal("2.2")
    assert dear.cost(1_000_000, 0, 500_000) == Decimal("2.7")
