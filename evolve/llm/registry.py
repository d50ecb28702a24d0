"""Specifications become models: built-in providers, plug-ins, and callers that are ready to be asked."""

from __future__ import annotations

import difflib
import os
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from ...problems.base import Json
from ..types import Completion
from .base import CallLog, Closable, ErrorKind, Model, ModelError, Parameterised, Request
from .caller import Caller, RetryPolicy
from .cassette import Cassette, CassetteModel, Replies
from .chat import clip
from .keys import SecretKeys
from .ledger import Ledger
from .prices import require_price, with_price
from .settings import AGENT, COMMAND, PROGRAMS, ModelSettings

# Models of plug-ins: what they do wrong is told as theirs, and ends in a run that can be resumed.


def make_model(load: Callable[[], Any], settings: ModelSettings, keys: SecretKeys) -> PluginModel:
    """What a plug-in makes of a `[[model]]` table.

    Args:
        load: gives the plug-in's factory.
        settings: the table.
        keys: what is hidden in the text of an exception.

    Raises:
        ModelError: it raised, or made something else than a model; its own `ModelError` passes.
        ModuleNotFoundError: a package is missing, which is told with the command that installs it.
    """
    try:
        model = load()(settings)
        fit = isinstance(getattr(model, "name", None), str) and callable(getattr(model, "complete", None))
    except (ModelError, ModuleNotFoundError):
        raise
    except (Exception, SystemExit) as error:
        said = f"{settings.spec}: {_raised(error, str(error), keys)}; mend the plug-in"
        raise ModelError(ErrorKind.REQUEST, said) from None  # the log writes chains out, and hides no key
    if not fit:
        raise ModelError(
            ErrorKind.REQUEST,
            f"{settings.spec}: the plug-in made {type(model).__name__}, expected a model with a name (text) "
            "and complete(request); mend the plug-in",
        )
    return PluginModel(model, keys)


def _raised(error: BaseException, said: str, keys: SecretKeys) -> str:
    """What a plug-in raised, and where, without keys."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    words = clip(keys.hide(said))
    return f"the plug-in raised {type(error).__name__}: {words} ({last.filename}, line {last.lineno})"


class PluginModel:
    """A plug-in's model that raises nothing but `ModelError`.

    Args:
        model: as the plug-in made it.
        keys: what is hidden in the text of an exception.
    """

    def __init__(self, model: Model, keys: SecretKeys) -> None:
        self._model = model
        self._keys = keys

    @property
    def name(self) -> str:
        """The name that it gives itself."""
        return self._model.name

    @property
    def parameters(self) -> Mapping[str, Json]:
        """See `Parameterised`."""
        return self._model.parameters if isinstance(self._model, Parameterised) else {}

    @property
    def notes(self) -> Sequence[str]:
        """See `Parameterised`."""
        return self._model.notes if isinstance(self._model, Parameterised) else ()

    def complete(self, request: Request) -> Completion:
        """The reply of one attempt; see `Model`."""
        try:
            return self._model.complete(request)
        except ModelError as error:
            kind: object = error.kind
            sentence: object = error.sentence
            if isinstance(kind, ErrorKind) and isinstance(sentence, str):
                raise
            raise self._fault(error, f"kind {kind!r}, sentence {sentence!r}") from None
        except (Exception, SystemExit) as error:
            raise self._fault(error, str(error)) from None  # the log writes chains out, and hides no key

    def close(self) -> None:
        """See `Closable`."""
        if isinstance(self._model, Closable):
            self._model.close()

    def _fault(self, error: BaseException, said: str) -> ModelError:
        return ModelError(
            ErrorKind.REQUEST,
            f"{self.name}: {_raised(error, said, self._keys)}; expected a Completion, or a ModelError of a "
            "known kind; mend the plug-in, then resume",
            unknown_outcome=True,
        )


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
    from .clients import openai_model

    return openai_model(settings, around.environment)


def _litellm(settings: ModelSettings, around: Surroundings) -> Model:
    from .clients import litellm_model

    return litellm_model(settings, around.environment)


def _manual(settings: ModelSettings, around: Surroundings) -> Model:
    from .mailbox import ManualModel

    if around.mailbox is None:
        raise ModelError(ErrorKind.REQUEST, "manual: needs a run folder for its mailbox")
    return ManualModel(around.mailbox)


def _command(settings: ModelSettings, around: Surroundings) -> Model:
    from .command_model import CommandModel, program_of

    return CommandModel(program_of(settings, around.environment))


def _agent(settings: ModelSettings, around: Surroundings) -> Model:
    """Nobody asks an agent: the campaign gives it a bench. That its program is there is found out here."""
    from .command_model import program_of

    return SilentModel(program_of(settings, around.environment).spec)


def _scripted(settings: ModelSettings, around: Surroundings) -> Model:
    from .cassette import ScriptedModel

    return ScriptedModel(settings.spec)


def _replay(settings: ModelSettings, around: Surroundings) -> Model:
    name = settings.spec.removeprefix("replay/")
    if name.endswith(".jsonl"):
        try:
            return CassetteModel(settings.spec, Cassette.load(Path(name)))
        except (OSError, ValueError) as error:  # a path with a NUL is a ValueError
            raise ModelError(
                ErrorKind.REQUEST, f"{settings.spec}: cannot read the cassette: {error}"
            ) from None
    if around.record is None:
        raise ModelError(ErrorKind.REQUEST, f"{settings.spec}: expected a cassette file (*.jsonl)")
    return CassetteModel(settings.spec, around.record(name))


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
    COMMAND: Provider(
        "command:PROGRAM ARGUMENTS",
        "a program that reads the prompt on standard input and prints the reply",
        _command,
    ),
    "claude": Provider("claude/NAME", "the program claude, logged in", _command),
    "codex": Provider("codex/NAME", "the program codex, logged in", _command),
    "gemini": Provider("gemini/NAME", "the program gemini, logged in", _command),
    AGENT: Provider(
        "agent:PROGRAM ARGUMENTS",
        "a coding agent, also claude/NAME, codex/NAME, gemini/NAME: works at the run's bench",
        _agent,
    ),
    "manual": Provider("manual", "a person or program that answers files in the run's mailbox", _manual),
    "replay": Provider("replay/RUN", "a recorded run, or a cassette file (*.jsonl)", _replay),
    "scripted": Provider("scripted/FILE", "a JSON list of replies; for tests", _scripted),
}


def providers() -> dict[str, Provider]:
    """Built-in providers and plug-ins by the first part of their specifications; built-ins win."""
    return {**{point.name: _plugin(point) for point in entry_points(group=GROUP)}, **PROVIDERS}


def _plugin(point: EntryPoint) -> Provider:
    def build(settings: ModelSettings, around: Surroundings) -> Model:
        return make_model(point.load, settings, SecretKeys.of(around.environment))

    return Provider(f"{point.name}/NAME", f"plug-in {point.value}", build)


def build_model(settings: ModelSettings, around: Surroundings) -> Model:
    """The model of a `[[model]]` table. Nothing is sent, and nothing spent.

    Raises:
        ModelError: the specification is unknown, or something that it needs is missing; says how to fix it.
    """
    rows = providers()
    head, _, rest = settings.spec.partition("/")
    for prefix in PROGRAMS:
        if settings.spec.startswith(prefix):
            return PROVIDERS[prefix].build(settings, around)
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


# From `[[model]]` tables to callers that are ready to be asked.

RECORDED = RetryPolicy(useless_attempts=1, useless_calls=10**9, sets_aside=False)
"""A record holds how each question ended: there is nothing to ask again."""


def build_callers(
    tables: Sequence[ModelSettings],
    around: Surroundings,
    ledger: Ledger,
    log: CallLog,
    in_flight: int,
    *,
    sends: bool = True,
) -> list[Caller]:
    """One caller per table, all on one ledger and one record. Nothing is sent, and nothing spent.

    Args:
        tables: the models of a campaign; prices that they leave out are looked up.
        around: what providers need beside their tables.
        ledger: holds the caps.
        log: records the calls.
        in_flight: calls of one model under way at once, at most (count, ≥ 1).
        sends: whether they will be asked; otherwise a model without its key is no trouble.

    Raises:
        ModelError: a specification is unknown, a key, package or price is missing; says how to fix it.
    """
    callers: list[Caller] = []
    try:
        for number, table in enumerate(map(with_price, tables)):
            require_price(table, ledger.usd, "model" if len(tables) == 1 else f"model.{number}")
            model = _model(table, around, sends)
            own = RECORDED if isinstance(model, CassetteModel) else RetryPolicy()
            callers.append(Caller(model, table, ledger, log, in_flight, own))
    except BaseException:
        for caller in callers:
            caller.close()
        raise
    return callers


def _model(table: ModelSettings, around: Surroundings, sends: bool) -> Model:
    """The model of a table; one that is never asked stands for a model without its key."""
    try:
        return build_model(table, around)
    except ModelError as error:
        if sends or error.kind is not ErrorKind.KEY:
            raise
        return SilentModel(table.spec)


@dataclass(frozen=True, slots=True)
class SilentModel:
    """A model that cannot be asked."""

    name: str

    def complete(self, request: Request) -> Completion:
        """See `Model`."""
        raise ModelError(ErrorKind.KEY, f"{self.name}: has no key")
