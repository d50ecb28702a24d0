"""Keys stay out of everything that is shown or stored, and those that cannot be sent are refused."""

import json
import traceback

import pytest
from gapsmith.evolve.llm.base import ErrorKind, ModelError, Request
from gapsmith.evolve.llm.chat import clip, parse_reply, sort_error
from gapsmith.evolve.llm.clients import ChatModel
from gapsmith.evolve.llm.keys import HIDDEN, SecretKeys, find_key
from gapsmith.evolve.llm.registry import PluginModel
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Prompt

KEY = "sk-very-secret-123"
KEYS = SecretKeys([KEY])
REQUEST = Request(Prompt("s", "u"), 10, 5.0, 1)


class Refused(Exception):
    """An error as the packages raise it."""

    def __init__(self, status, message, param=None):
        super().__init__(f"Error code: {status} - {message}")
        self.status_code, self.body, self.param = status, {"message": message}, param


def answering(*outcomes):
    """A model whose package gives these bodies or errors in turn."""
    left = list(outcomes)

    async def send(asked, timeout_seconds):
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def hang_up():
        """Nothing to close."""

    table = ModelSettings(spec="openai/x", temperature=0.5)
    return ChatModel(table, lambda: (send, hang_up), keys=KEYS)


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk one", "sk-\u201cquoted\u201d", "sk-\x00", "\u20ac"])
def test_a_key_that_no_header_can_carry_is_refused_before_anything_is_sent(key):
    """The variable is named, what it holds is not, and a person must act."""
    with pytest.raises(ModelError, match="MY_KEY holds characters that no header can carry") as caught:
        find_key("openai/x", None, "MY_KEY", "OPENAI_API_KEY", {"MY_KEY": key})
    assert caught.value.kind is ErrorKind.KEY
    assert key not in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_space_around_a_key_does_not_matter():
    """A line break at the end, as files have it, is no part of the key."""
    assert find_key("openai/x", None, None, "OPENAI_API_KEY", {"OPENAI_API_KEY": f" {KEY}\r\n"}) == KEY


@pytest.mark.parametrize(
    "error",
    [
        Refused(401, f"Incorrect API key provided: {KEY}. Check."),
        Refused(500, "x" * 490 + KEY),
        ValueError(f"Illegal header value b'Bearer {KEY}'"),
    ],
)
def test_what_a_server_or_package_says_is_told_without_the_key(error):
    """Neither a provider's sentence, nor a package's, nor what is left of a cut one shows it."""
    model = answering(error)
    with pytest.raises(ModelError) as caught:
        model.complete(REQUEST)
    model.close()
    assert "sk-" not in str(caught.value)
    assert "***" in str(caught.value)


def test_a_note_on_a_refused_parameter_is_told_without_the_key():
    """Notes are stored and published, so they hide it too."""
    reply = json.dumps({"choices": [{"message": {"content": "Sorted."}}]})
    model = answering(Refused(400, f"temperature is not supported for {KEY}", KEY), reply)
    assert model.complete(REQUEST).text == "Sorted."
    model.close()
    assert len(model.notes) == 1
    assert KEY not in model.notes[0]


def test_garbage_and_labels_are_kept_without_the_key():
    """Stored garbage, the model's name and the finish reason hide it."""
    with pytest.raises(ModelError) as caught:
        parse_reply(f"<html>Bearer {KEY}</html>", "openai/x", 0.0, KEYS)
    assert KEY not in str(caught.value) + caught.value.completion.text
    body = {"model": KEY, "choices": [{"message": {"content": "a"}, "finish_reason": f"stop\x1b[2J {KEY}"}]}
    found = parse_reply(json.dumps(body), "openai/x", 0.0, KEYS)
    assert (found.text, found.model, found.finish_reason) == ("a", "***", "stop [2J ***")


@pytest.mark.parametrize("key", ["sk-\"quoted\\'x", "sk-two\nlines", "sk-euro-\u20ac"])
def test_a_key_is_hidden_in_every_notation(key):
    """Python and JSON write some characters differently."""
    for text in (key, repr(key), repr(key.encode()), json.dumps(key), f"[{key}]"):
        assert "sk-" not in SecretKeys([key]).hide(text)


def test_keys_that_a_package_looks_up_itself_are_hidden_too():
    """Variables are known by their names; stand-ins of a few letters are left alone."""
    keys = SecretKeys.of(
        {"GROQ_API_KEY": KEY, "HF_TOKEN": "hf-secret-4", "HOME": "/home/anna", "X_KEY": "EMPTY"}
    )
    said = keys.hide(f"{KEY} hf-secret-4 /home/anna EMPTY")
    assert said == "*** *** /home/anna EMPTY"


def test_a_sentence_without_keys_is_told_as_it_is():
    """Hiding changes nothing else."""
    assert "Rate limit reached." in str(sort_error(Refused(429, "Rate limit reached."), "openai/x", KEYS))
    assert clip("a\x1b[2J\n b") == "a [2J b"


class Repeating:
    """A plug-in's model that repeats a key."""

    name = "repeating"

    def complete(self, request):
        """Raises."""
        raise ValueError(f"who is {KEY}?")


@pytest.mark.parametrize(
    "make",
    [lambda: answering(Refused(429, KEY)), lambda: PluginModel(Repeating(), KEYS)],
    ids=["server", "own"],
)
def test_a_key_is_in_no_chain_of_errors(make):
    """The run's log holds the whole chain of the error that ended the run."""
    model = make()
    with pytest.raises(ModelError) as caught:
        model.complete(REQUEST)
    model.close()
    written = "".join(traceback.format_exception(caught.value))
    assert KEY not in written
    assert HIDDEN in written
