"""Answers of servers that are odd in one place each: a reply, or a fault of a kind that fits; real HTTP."""

import gzip
import json

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError, Request
from gapsmith.evolve.llm.clients import openai_model
from gapsmith.evolve.llm.edits import apply_reply
from gapsmith.evolve.llm.parameters import joined
from gapsmith.evolve.llm.replies import idea_of
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

REFUSED = {"error": {"message": "This model is only supported in v1/responses."}}
ODD = [5, True, 1.5e308, "x", [], {}, [5], [[]], [None], {"text": 5}, [{"text": 5}], "\ud800", -1]
NESTED = {"lists": "[" * 100_000 + "]" * 100_000, "tables": '{"a":' * 100_000 + "1" + "}" * 100_000}
PART = '{"type": "output_text", "text": "good"}'


def raw(status, body, *lines):
    """A fault of the loopback server: a response word for word."""
    return "raw:" + json.dumps([status, lines, gzip.compress(body.encode(), mtime=0).hex()])


@pytest.fixture
def outcomes(loopback):
    """What one attempt each makes of responses: a reply's text, or the error."""

    def ask(responses, first=()):
        server = loopback(faults=[*first, *responses])
        model = openai_model(ModelSettings(spec="openai/x", base_url=server.url), {})
        found = []
        try:
            for _ in responses:
                try:
                    found.append(model.complete(Request(Prompt("s", "u"), 100, 60.0, 1)).text)
                except ModelError as error:
                    found.append(error)
        finally:
            model.close()
        return found

    return ask


def test_items_of_the_responses_api_of_any_shape(outcomes):
    """A broken item beside a good one costs nothing, whichever place of it is odd."""
    good = {"type": "message", "content": [{"type": "output_text", "text": "good"}]}
    bodies = [{"output": [{"type": "message", "content": odd}, good]} for odd in ODD[:3]]
    bodies += [{"output": [{"type": odd, "content": [5]}, odd, good]} for odd in ODD]
    bodies += [
        {"output": [good], "model": odd if isinstance(odd, str) else None, "usage": odd} for odd in ODD
    ]
    bodies += [{"output": [good], "incomplete_details": odd} for odd in ODD]
    found = outcomes([raw(200, json.dumps(body)) for body in bodies], [raw(400, json.dumps(REFUSED))])
    assert found == ["good"] * len(bodies)


def test_chat_answers_of_any_shape(outcomes):
    """Each is a reply, empty, garbage or a fault that the server names; none is a failed connection."""
    bodies = [{"choices": odd} for odd in ODD]
    bodies += [{"choices": [odd]} for odd in ODD]
    bodies += [{"choices": [{"message": odd}]} for odd in ODD]
    bodies += [{"choices": [{"message": {"content": odd}}]} for odd in ODD]
    bodies += [{"choices": [{"message": {"content": "x"}, "finish_reason": odd}]} for odd in ODD]
    bodies += [{"error": {"message": odd, "code": odd, "loc": odd, "metadata": {"raw": odd}}} for odd in ODD]
    bodies += [{"detail": [{"msg": "m", "loc": odd}]} for odd in ODD]
    found = outcomes([raw(200, json.dumps(body)) for body in bodies])
    assert len(found) == 91
    connection = [error for error in found if getattr(error, "kind", None) is ErrorKind.CONNECTION]
    assert connection == []


@pytest.mark.quick("lists")
@pytest.mark.parametrize("name", NESTED)
def test_answers_that_are_nested_without_end(outcomes, name):
    """A hundred thousand levels in any place, as a document or as an event, are garbage or a fault."""
    deep = NESTED[name]
    bodies = [
        deep,
        f'{{"choices": {deep}}}',
        f'{{"choices": [{{"message": {{"content": {deep}}}}}]}}',
        f'{{"choices": [{{"message": {{"content": "x"}}}}], "usage": {deep}}}',
        f'{{"error": {deep}}}',
        f'{{"error": {{"message": "m", "loc": {deep}}}}}',
    ]
    found = outcomes(
        [
            raw(status, f"{begin}{body}")
            for status in (200, 500)
            for begin in ("", "data: ")
            for body in bodies
        ]
    )
    assert {one for one in found if isinstance(one, str)} <= {"x", ""}
    kinds = {error.kind for error in found if isinstance(error, ModelError)}
    assert kinds <= {ErrorKind.GARBAGE, ErrorKind.SERVER, ErrorKind.EMPTY}
    assert all(len(str(error)) < 1000 for error in found)


@pytest.mark.parametrize("status", [200, 400])
def test_a_byte_order_mark_before_an_answer(outcomes, status):
    """Is no part of the JSON text."""
    good = {"choices": [{"message": {"content": "good"}}]}
    bodies = [good, f"data: {json.dumps(good)}\n\ndata: [DONE]\n"] if status == 200 else [REFUSED | {"x": 1}]
    texts = ["\ufeff" + (body if isinstance(body, str) else json.dumps(body)) for body in bodies]
    if status == 200:
        assert outcomes([raw(200, text) for text in texts]) == ["good", "good"]
    else:
        good_one = raw(
            200, json.dumps({"output": [json.loads(f'{{"type": "message", "content": [{PART}]}}')]})
        )
        assert outcomes([good_one], [raw(400, texts[0])]) == ["good"]


WAITS = {
    "3": 3.0,
    " 2.5 ": 2.5,
    "0": 0.0,
    "9" * 500: 86_400.0,
    "-1": None,
    "\u0663": None,
    "\uff11\uff12": None,
    "+5": None,
    "1e999": None,
    "inf": None,
    "nan": None,
    "1_000": None,
    "0x5": None,
    "5,6": None,
    "5s": None,
    "Wed, 21 Oct 2015 07:28:00 GMT": 0.0,
    "Fri, 31 Dec 9999 23:59:59 -1200": 86_400.0,
    "Wed, 99 Oct 9999 99:99:99 +9999": None,
    "(" * 2000: None,
    ",": None,
}


def test_waits_that_are_no_seconds(outcomes):
    """Plain digits and dates count; signs, exponents, words and digits of other scripts do not."""
    found = outcomes([raw(429, "{}", f"retry-after: {text}") for text in WAITS])
    assert [error.retry_after for error in found] == list(WAITS.values())
    assert [str(error) for error in found if error.kind is not ErrorKind.RATE_LIMIT] == []


def test_waits_that_are_no_milliseconds(outcomes):
    """The same of the header that counts thousandths."""
    waits = {
        "250": 0.25,
        "-250": None,
        "1e999": None,
        "inf": None,
        "nan": None,
        "\u0663": None,
        "1_000": None,
    }
    found = outcomes([raw(429, "{}", f"retry-after-ms: {text}") for text in waits])
    assert [error.retry_after for error in found] == list(waits.values())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("inside", ["\u2028", "\u2029", "\x85"])
def test_a_stream_keeps_lines_that_its_text_holds(end, inside):
    """Separators that JSON leaves as they are end no event."""
    events = [{"choices": [{"delta": {"content": text}}]} for text in ("a", f"b{inside}c", "d")]
    body = "".join(f"data: {json.dumps(event, ensure_ascii=False)}{end}{end}" for event in events)
    answer = json.loads(joined(body + f"data: [DONE]{end}"))
    assert answer["choices"][0]["message"]["content"] == f"ab{inside}cd"


@pytest.mark.parametrize(
    "line", ["x-note: \u00e9", "content-type: \u00e9", "x-note: " + "y" * 60_000, "server: \ud7ff"]
)
@pytest.mark.parametrize("begin", ["", "data: "])
def test_headers_that_are_no_ascii(outcomes, line, begin):
    """Cost no reply, as a document or as a stream."""
    body = begin + json.dumps({"choices": [{"message": {"content": "good"}}]})
    assert outcomes([raw(200, body, line)]) == ["good"]


FENCE = "```python\ndef f():\n    return 1\n```\n"


@pytest.mark.parametrize(
    "reply", [FENCE, f"Sorted.\n{FENCE}", "def f():\n    return 1\n", f"<think>x</think>{FENCE}"]
)
def test_a_byte_order_mark_before_a_reply(reply):
    """Hides neither a fence nor a program without one, and is no part of what is said."""
    reply = "\ufeff" + reply
    assert apply_reply(reply, "", "f") == "def f():\n    return 1\n"
    assert "\ufeff" not in idea_of(reply)


HUNK = "<<<<<<< SEARCH\n    return 1\n=======\n    return 2\n>>>>>>> REPLACE\n"


def test_a_byte_order_mark_before_a_hunk():
    """The first hunk is found."""
    assert apply_reply("\ufeff" + HUNK, "def f():\n    return 1\n", "f") == "def f():\n    return 2\n"
