"""What a server may send at most: bytes of a reply, and seconds to wait."""

import json
from email.utils import formatdate

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError
from gapsmith.evolve.llm.caller import RetryPolicy
from gapsmith.evolve.llm.chat import GARBAGE, MOST_BYTES, clip, parse_reply, sort_error
from gapsmith.evolve.types import Prompt

DAY = 86_400


def body(text):
    """A good reply with this text."""
    return json.dumps({"choices": [{"message": {"content": text}}]}, ensure_ascii=False)


@pytest.mark.parametrize("letter", ["a", "\u20ac"])
def test_a_body_above_the_limit_is_garbage(letter):
    """Bytes count, the sentence says how many, and only a beginning is stored."""
    full = body("")
    most = letter * ((MOST_BYTES - len(full)) // len(letter.encode()))
    assert parse_reply(body(most), "openai/x", 0.0).text == most
    with pytest.raises(ModelError, match="expected at most 4,194,304; does the server") as caught:
        parse_reply(body(most + letter * 3), "openai/x", 1.5)
    error = caught.value
    assert (error.kind, error.unknown_outcome) == (ErrorKind.GARBAGE, True)
    assert len(error.completion.text) == GARBAGE
    assert error.completion.text.startswith('{"choices"')


@pytest.mark.parametrize(
    ("fault", "kind"), [("endless", ErrorKind.GARBAGE), ("endless-500", ErrorKind.SERVER)]
)
def test_a_body_is_read_no_further_than_its_limit(loopback, caller, fault, kind):
    """A server that sends without end fills no memory, with a good status or a bad one."""
    server = loopback(faults=[fault])
    with pytest.raises(ModelError) as caught:
        caller(server, policy=RetryPolicy(useless_attempts=1), outage_seconds=0).ask(
            Prompt("s", "u"), "improve", 1
        )
    assert caught.value.kind is kind
    assert server.seen()["megabytes"] < 32


def test_of_garbage_a_beginning_is_stored():
    """Enough to see what answered."""
    with pytest.raises(ModelError, match="no chat completion: '<html>") as caught:
        parse_reply("<html>" + "x" * 100_000, "openai/x", 0.0)
    assert len(caught.value.completion.text) == GARBAGE
    assert len(str(caught.value)) < 700


def test_a_clipped_text_says_so():
    """Whatever was left out, a mark stands at the end."""
    assert clip("a" * 10, 10) == "a" * 10
    assert clip("a" * 11, 10) == "a" * 9 + "\u2026"
    assert clip("a" + " " * 1000 + "b", 10) == "a\u2026"


class Limited(Exception):
    """A rate limit with these headers."""

    status_code = 429

    def __init__(self, **headers):
        super().__init__("slow")
        self.response = type(
            "Response", (), {"headers": {k.replace("_", "-"): v for k, v in headers.items()}}
        )


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "2.5"}, 2.5),
        ({"retry_after": "99999999999999"}, DAY),
        ({"retry_after": "9" * 400}, DAY),
        ({"retry_after": "Fri, 01 Jan 9999 00:00:00 GMT"}, DAY),
        ({"retry_after": formatdate(0, usegmt=True)}, 0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "inf"}, None),
        ({"retry_after_ms": "-5"}, None),
        ({"retry_after_ms": "nan"}, None),
        ({"retry_after": "soon"}, None),
        ({}, None),
    ],
)
def test_a_wait_is_at_most_a_day(headers, seconds):
    """Also where the number would stop every clock; what cannot be read was not said."""
    assert sort_error(Limited(**headers), "openai/x").retry_after == seconds


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r"cut \ud83d", "cut ?"),
        (r"\ude00 begun", "? begun"),
        (r"whole \ud83d\ude00", "whole \U0001f600"),
        (r"two \ud83d\ud83d\ude00", "two ?\U0001f600"),
        (r"a path \\ud83d", r"a path \ud83d"),
    ],
)
def test_half_a_character_costs_no_reply(sent, read):
    """A server that cuts at its limit may leave one: it becomes a question mark, as in a plug-in's text."""
    choice = f'{{"message": {{"content": "{sent}"}}, "finish_reason": "length"}}'
    text = f'{{"choices": [{choice}]}}'
    found = parse_reply(text, "openai/x", 0.0)
    assert (found.text, found.finish_reason) == (read, "length")
