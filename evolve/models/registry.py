"""Specifications become models: built-in providers, and plug-ins of the group `gapsmith.models`."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from .base import ErrorKind, Model, ModelError
from .cassette import Cassette, RecordedModel, Replies
from .keys import Keys
from .plugin import make_model
from .settings import ModelSettings

GROUP = "gapsmith.models"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What providers may need beside their `[[model]]` table.

    Attributes:
        mailbox: folder of a `manual` campaign's prompts and replies.
        record: the recorded replies of a run by the name in `replay/RUN`; files (`*.jsonl`) need none.
        environment: variables with keys and addresses.
    """

    mailbox: Path | None = None
    record: Callable[[str], Replies] | None = None
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


@dataclass(frozen=True, slots=True)
class Provider:
    """A row of `gapsmith models`.

    Attributes:
        form: how its specifications look.
        needs: what it needs here, one clause.
        build: makes the model.
    """

    form: str
    needs: str
    build: Callable[[ModelSettings, Surroundings], Model]


def _openai(settings: ModelSettings, around: Surroundings) -> Model:
    from .openai_chat import openai_model

    return openai_model(settings, around.environment)


def _litellm(settings: ModelSettings, around: Surroundings) -> Model:
    from .litellm_chat import litellm_model

    return litellm_model(settings, around.environment)


def _manual(settings: ModelSettings, around: Surroundings) -> Model:
    from .mailbox import ManualModel

    if around.mailbox is None:
        raise ModelError(ErrorKind.REQUEST, "manual: needs a run folder for its mailbox")
    return ManualModel(around.mailbox)


def _command(settings: ModelSettings, around: Surroundings) -> Model:
    from .command import command_model

    return command_model(settings, around.environment)


def _scripted(settings: ModelSettings, around: Surroundings) -> Model:
    from .scripted import ScriptedModel

    return ScriptedModel(settings.spec)


def _replay(settings: ModelSettings, around: Surroundings) -> Model:
    name = settings.spec.removeprefix("replay/")
    if name.endswith(".jsonl"):
        try:
            return RecordedModel(settings.spec, Cassette.load(Path(name)))
        except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
            raise ModelError(
                ErrorKind.REQUEST, f"{settings.spec}: cannot read the cassette: {error}"
            ) from None
    if around.record is None:
        raise ModelError(ErrorKind.REQUEST, f"{settings.spec}: expected a cassette file (*.jsonl)")
    return RecordedModel(settings.spec, around.record(name))


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        "openai/NAME",
        "OPENAI_API_KEY, or base_url (OPENAI_BASE_URL) of a compatible server; a local one needs no key",
        _openai,
    ),
    "litellm": Provider(
        "litellm/PROVIDER/NAME",
        "the extra gapsmith[litellm], and the provider's key in the environment",
        _litellm,
    ),
    "command:": Provider(
        "command:PROGRAM ARGUMENTS",
        "a program that reads the prompt on standard input and prints the reply",
        _command,
    ),
    "claude": Provider("claude/NAME", "the program claude, logged in", _command),
    "codex": Provider("codex/NAME", "the program codex, logged in", _command),
    "gemini": Provider("gemini/NAME", "the program gemini, logged in", _command),
    "manual": Provider("manual", "a person or program that answers files in the run's mailbox", _manual),
    "replay": Provider("replay/RUN", "a recorded run, or a cassette file (*.jsonl)", _replay),
    "scripted": Provider("scripted/FILE", "a JSON list of replies; for tests", _scripted),
}


def providers() -> dict[str, Provider]:
    """Built-in providers and plug-ins by the first part of their specifications; built-ins win."""
    return {**{point.name: _plugin(point) for point in entry_points(group=GROUP)}, **PROVIDERS}


def _plugin(point: EntryPoint) -> Provider:
    def build(settings: ModelSettings, around: Surroundings) -> Model:
        return make_model(point.load, settings, Keys.of(around.environment))

    return Provider(f"{point.name}/NAME", f"plug-in {point.value}", build)


def build_model(settings: ModelSettings, around: Surroundings) -> Model:
    """The model of a `[[model]]` table. Nothing is sent, and nothing spent.

    Raises:
        ModelError: the specification is unknown, or something that it needs is missing; says how to fix it.
    """
    rows = providers()
    head, _, rest = settings.spec.partition("/")
    if settings.spec.startswith("command:"):
        return PROVIDERS["command:"].build(settings, around)
    provider = rows.get(head)
    if provider is None or ("/" in provider.form) != bool(rest):
        near = difflib.get_close_matches(head, rows, n=1, cutoff=0.5)
        forms = ", ".join(["offline", *(p.form for p in rows.values() if p.form != "scripted/FILE")])
        guess = f"; did you mean {rows[near[0]].form}?" if near else ""
        raise ModelError(
            ErrorKind.UNKNOWN_MODEL,
            f"[[model]] spec: got {settings.spec!r}, expected one of {forms}{guess}",
        )
    return provider.build(settings, around)
