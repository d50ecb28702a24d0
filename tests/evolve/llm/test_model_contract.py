"""Every provider keeps the same contract, and the contract finds those that do not."""

import importlib.util
import json
import threading
import time

import pytest
from gapsmith.evolve.llm import registry
from gapsmith.evolve.llm.base import Call, ErrorKind, ModelError, Recourse, Request
from gapsmith.evolve.llm.cassette import Cassette
from gapsmith.evolve.llm.contract import AT_ONCE, PROMPT, check_model
from gapsmith.evolve.llm.keys import SecretKeys
from gapsmith.evolve.llm.mailbox import letters, put_reply
from gapsmith.evolve.llm.registry import PluginModel, Surroundings, build_model, providers
from gapsmith.evolve.llm.settings import ModelSettings
from gapsmith.evolve.types import Completion, Prompt


def recorded(tmp_path):
    """A cassette with an answer to every question of the contract."""
    tape = Cassette()
    for iteration in range(1, AT_ONCE + 1):
        number = tape.requested(Call("m", "improve", Request(PROMPT, 9, 9.0, iteration), 1, 1, None))
        tape.replied(number, Completion("hello", "m", 1, 1))
    tape.save(tmp_path / "tape.jsonl")
    return ModelSettings(spec=f"replay/{tmp_path / 'tape.jsonl'}")


def scripted(tmp_path):
    """A file with one text."""
    (tmp_path / "texts.json").write_text(json.dumps(["hello"]))
    return ModelSettings(spec=f"scripted/{tmp_path / 'texts.json'}")


@pytest.mark.parametrize("provider", ["openai", "litellm", "manual", "replay", "scripted"])
def test_every_built_in_provider_keeps_the_contract(provider, tmp_path, loopback):
    """Several calls at once, replies of the right shape, no foreign exceptions."""
    if provider == "litellm" and importlib.util.find_spec("litellm") is None:
        pytest.skip("the extra gapsmith[litellm] is not installed")
    settings = {
        "openai": lambda: ModelSettings(spec="openai/x", base_url=loopback().url),
        "litellm": lambda: ModelSettings(spec="litellm/openai/x", base_url=loopback().url),
        "manual": lambda: ModelSettings(spec="manual"),
        "replay": lambda: recorded(tmp_path),
        "scripted": lambda: scripted(tmp_path),
    }[provider]()
    box = tmp_path / "mailbox"
    model = build_model(settings, Surroundings(mailbox=box, environment={}))

    def answer():
        while len(letters(box)) < AT_ONCE:
            time.sleep(0.02)
        for letter in letters(box):
            put_reply(box, letter.name, "hello")

    if provider == "manual":
        threading.Thread(target=answer, daemon=True).start()
    assert check_model(model) == []
    if hasattr(model, "close"):
        model.close()


class Wrong:
    """A provider that breaks a rule."""

    name = "wrong"

    def __init__(self, outcome):
        self.outcome = outcome

    def complete(self, request):
        """Returns or raises what it was given."""
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        ("hello", "expected a Completion"),
        (KeyError("choices"), "raised KeyError"),
        (Completion("hello", "m", tokens_in=-1), "tokens_in"),
        (Completion("hello", ""), "expected the name that answered"),
        (Completion(None, "m"), "expected str"),
    ],
)
def test_the_contract_names_what_is_broken(outcome, sentence):
    """Each broken rule is a sentence."""
    found = check_model(Wrong(outcome))
    assert len(found) == AT_ONCE
    assert sentence in found[0]


def test_a_plug_in_comes_through_its_entry_point(monkeypatch):
    """A provider of an installed package is listed and built like a built-in; it cannot replace one."""

    class Point:
        value = "parrots:make"

        def __init__(self, name):
            self.name = name

        def load(self):
            return lambda settings: Wrong(Completion(settings.spec, "parrot"))

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point("parrot"), Point("openai")])
    assert providers()["parrot"].needs == "plug-in parrots:make"
    model = build_model(ModelSettings(spec="parrot/grey"), Surroundings(environment={}))
    assert isinstance(model, PluginModel)
    assert model.complete(Request(Prompt("s", "u"), 1, 1.0, 1)).text == "parrot/grey"
    assert "OPENAI_API_KEY" in providers()["openai"].needs


def refuse(settings):
    """A factory that fails, and repeats a key."""
    raise RuntimeError(f"{settings.spec}: no broker for sk-very-secret")


@pytest.mark.parametrize(
    ("make", "said"),
    [(refuse, "raised RuntimeError: parrot/grey: no broker for ***"), (lambda table: None, "made NoneType")],
)
def test_a_plug_in_that_makes_no_model_is_told_as_its_own(monkeypatch, make, said):
    """What a factory raises is no bug of the tool, and shows no key."""

    class Point:
        name, value = "parrot", "parrots:make"

        def load(self):
            return make

    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()])
    with pytest.raises(ModelError) as caught:
        build_model(ModelSettings(spec="parrot/grey"), Surroundings(environment={"X_KEY": "sk-very-secret"}))
    assert str(caught.value).startswith("parrot/grey: the plug-in ")
    assert said in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


class Raising:
    """A plug-in's model that raises."""

    name = "raising"

    def __init__(self, error):
        self.error = error

    def complete(self, request):
        """Raises."""
        raise self.error


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("boom sk-very-secret"), "raised KeyError: 'boom ***'"),
        (SystemExit(3), "raised SystemExit: 3"),
        (ModelError("odd", "A sentence."), "raised ModelError: kind 'odd'"),
        (ModelError(ErrorKind.SERVER, None), "sentence None"),
    ],
)
def test_what_a_plug_in_raises_is_told_as_its_own(error, said):
    """No bug of the tool, no key in the sentence, and a run that can be resumed."""
    with pytest.raises(ModelError) as caught:
        PluginModel(Raising(error), SecretKeys(["sk-very-secret"])).complete(
            Request(Prompt("s", "u"), 1, 1.0, 1)
        )
    assert caught.value.recourse is Recourse.PERSON
    assert caught.value.unknown_outcome
    assert str(caught.value).startswith("raising: the plug-in raised")
    assert said in str(caught.value)


def test_a_plug_in_s_own_trouble_and_notes_pass():
    """A `ModelError` as it should be, parameters and notes are the plug-in's."""
    fine = ModelError(ErrorKind.SERVER, "Overloaded.")
    model = Raising(fine)
    with pytest.raises(ModelError) as caught:
        PluginModel(model, SecretKeys()).complete(Request(Prompt("s", "u"), 1, 1.0, 1))
    assert caught.value is fine
    wrapped = PluginModel(model, SecretKeys())
    assert (wrapped.parameters, wrapped.notes) == ({}, ())
    model.parameters, model.notes = {"heat": 1}, ["no heat"]
    wrapped = PluginModel(model, SecretKeys())
    assert (wrapped.parameters, wrapped.notes) == ({"heat": 1}, ["no heat"])
