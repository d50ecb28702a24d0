"""What a record, or a `campaign.toml` in its folder, may have done in the name of who opens it.

A record is data: its configuration names plug-in files, modules, layers of the sandbox, prompt templates,
servers and key variables, and whoever made the record chose them. `granted` is the only way from a record to
a configuration that is acted upon. It asks for the caller's word, unless this user's own signature says that
the word was given when the run was begun.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

from ...evolve.llm.settings import PROGRAMS, ModelSettings
from ...evolve.store.schema import FILE_NAME
from ...sandbox.policy import DEFAULT_MODULES
from ..config import Config, parse
from ..errors import INVALID, USAGE, UserError
from ..plugins.foreign import is_foreign
from ..plugins.instance_files import are_there
from ..plugins.loader import check_not_elsewhere, source_of, source_of_selection
from .record import open_record
from .signature import SEAL, templates_digest
from .stored_run import StoredRun

_MUCH = 16
"""Times the usual memory, answer or time from which on a limit protects the machine no more."""
_HINTS = {
    True: "read what is named; --trust-run allows it, and `resume RUN --trust-run` makes the run your own",
    False: "restore the text; or allow it as it is now: `resume RUN --trust-run`, or --trust-run where a "
    "verb has it",
}
"""Whether a run is foreign → how to go on."""


class Use(Enum):
    """What a verb does beside running programs: for that too a record may name whom or what to ask."""

    MODELS = auto()
    TEMPLATES = auto()
    INSTANCE_FILES = auto()


@dataclass(frozen=True, slots=True)
class Trust:
    """The caller's word.

    Attributes:
        run: whether what a foreign record asks for is allowed (`--trust-run`).
        without: sandbox layers that the caller switches off (`--unsafe-without`).
        say: told, one line each, what a record gets by the caller's word.
    """

    run: bool = False
    without: frozenset[str] = frozenset()
    say: Callable[[str], None] = lambda line: None


NO_TRUST = Trust()
"""Of a caller who says nothing."""


@dataclass(frozen=True, slots=True)
class TrustRequest:
    """One thing that a record asks for: what, and for a source text its digest now and when the run began."""

    words: str
    digest: str | None = None
    recorded: str | None = None

    @property
    def unchanged(self) -> bool:
        """Whether the source text is as it was when the run began, or there is none: loading tells that."""
        return self.digest in (None, self.recorded)


def granted(record: StoredRun, trust: Trust = NO_TRUST, uses: Collection[Use] = ()) -> Config:
    """A run's configuration, as far as its user or the caller stands behind it.

    What evaluates programs is the caller's choice alone: a foreign record names no workers.

    Args:
        record: of the run.
        trust: the caller's word.
        uses: what the verb does beside running programs.

    Raises:
        UserError: the record asks for more than that; says for what, and how to allow it.
    """
    config = recorded_config(record)
    check_not_elsewhere(config.campaign.problem)
    _check_layers(record, config, trust)
    asks = list(requests(record, config, uses))
    if record.foreign:
        config = config.model_copy(update={"run": replace(config.run, workers=None)})
    else:
        asks = [ask for ask in asks if not ask.unchanged]
    if not asks:
        return config
    listed = "".join(f"\n  {in_words(ask)}" for ask in asks)
    whose = "foreign (this user did not sign it)" if record.foreign else "your own, but a source text changed"
    if not trust.run:
        raise UserError(
            USAGE, f"{record.name} is {whose}; its record asks for{listed}", _HINTS[record.foreign]
        )
    if record.foreign and any(ask.recorded not in (None, ask.digest) for ask in asks):
        raise UserError(
            INVALID,
            f"{record.name} is {whose}; the source text is another one than the record was made with{listed}",
            "restore the recorded text",
        )
    trust.say(f"{record.name} is {whose}; --trust-run allows{listed}")
    return config


def recorded_config(record: StoredRun) -> Config:
    """The configuration that a run holds, parsed; runs of before that key began with start programs alone."""
    search = {"founders": "start", **record.config.get("search", {})}
    return parse({**record.config, "search": search}, f"{record.name}/{FILE_NAME}", recorded=True)


def _check_layers(record: StoredRun, config: Config, trust: Trust) -> None:
    """Takes switched-off layers from the caller alone, and exactly those that the run was made without."""
    recorded = frozenset(config.sandbox.without)
    if missing := sorted(recorded - trust.without):
        raise UserError(
            USAGE,
            f"{record.name}: was made without sandbox layer {', '.join(missing)}, and only the caller may "
            "switch a layer off",
            "to run its programs less sealed: " + " ".join(f"--unsafe-without {name}" for name in missing),
        )
    if more := sorted(trust.without - recorded):
        raise UserError(
            USAGE,
            f"{record.name}: was made with sandbox layer {', '.join(more)}, got --unsafe-without for it",
            "leave the option out: answers count under the layers that they were recorded with",
        )


def requests(record: StoredRun, config: Config, uses: Collection[Use]) -> Iterator[TrustRequest]:
    """What a configuration wants beyond built-in problems, standard modules and the offline proposer."""
    stored = record.reader.record(SEAL)
    recorded: Mapping[str, Any] = stored if isinstance(stored, dict) else {}
    source = source_of(config.campaign.problem)
    if source is not None:
        where = " (in the run's own folder)" if _is_inside(source.path, record.folder) else ""
        yield TrustRequest(f"plug-in {source.path.absolute()}{where}", source.digest, recorded.get("plug-in"))
    selection = source_of_selection(config.search.selection)
    if selection is not None:
        words = f"selection {config.search.selection} from {selection.path.absolute()}, outside the sandbox"
        yield TrustRequest(words, selection.digest, recorded.get("selection"))
    if extra := [name for name in config.sandbox.modules if name not in DEFAULT_MODULES]:
        yield TrustRequest(f"modules that programs may import: {', '.join(extra)}")
    yield from _large_limits(config)
    if is_foreign(config.campaign.problem) and config.problem.get("python"):
        yield TrustRequest(
            f"interpreter {config.problem['python']}, for the packages of the task's evaluator"
        )
    if Use.INSTANCE_FILES in uses:
        for text in config.evaluation.instances:
            if are_there(text):
                yield TrustRequest(f"instance files {text}")
    if Use.TEMPLATES in uses and config.uses_models and config.prompts.folder is not None:
        folder = config.prompts.folder
        yield TrustRequest(
            f"prompt templates in {folder}", templates_digest(folder), recorded.get("templates")
        )
    if Use.MODELS in uses:
        asked = [model for model in config.model if model.spec not in ("offline", "manual")]
        yield from map(_request_of_model, asked)


def _large_limits(config: Config) -> Iterator[TrustRequest]:
    section = config.sandbox
    usual = Config().sandbox
    if section.memory_mb > _MUCH * usual.memory_mb or section.output_kb > _MUCH * usual.output_kb:
        yield TrustRequest(
            f"programs that take {section.memory_mb:g} MiB of memory and answer {section.output_kb:g} KiB"
        )
    seconds = section.limits.cpu_seconds
    if seconds > _MUCH * usual.limits.cpu_seconds:
        yield TrustRequest(f"programs that take {seconds:g} CPU seconds for one instance")
    seconds = config.evaluation.reference_seconds
    if seconds > _MUCH * Config().evaluation.reference_seconds:
        yield TrustRequest(f"references that take {seconds:g} s each")


def _request_of_model(model: ModelSettings) -> TrustRequest:
    if model.spec.startswith(PROGRAMS):
        return TrustRequest(f"the program {model.spec.partition(':')[2]}, outside the sandbox")
    address = model.base_url or "its usual address"
    key = f"the key in {model.api_key_env}" if model.api_key_env else "its usual key"
    return TrustRequest(f"model {model.spec} at {address}, with {key}")


def in_words(ask: TrustRequest) -> str:
    """A request as a line, with the digest of its source text now and when the run began."""
    words = ask.words if ask.digest is None else f"{ask.words}, SHA-256 {ask.digest}"
    if ask.digest is not None and ask.recorded not in (None, ask.digest):
        words += f" (recorded: {ask.recorded})"
    return " ".join(words.split())  # one line, or a name could stand for several


def _is_inside(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (ValueError, OSError):  # no path at all, or a longer one than the system takes
        return False


# A `campaign.toml` in a run folder: it may ask for no more than its run.


def check_file(path: Path, config: Config, without: Collection[str]) -> None:
    """Refuses what the `campaign.toml` in a run folder asks for beyond an own record; other files may ask.

    Args:
        path: of the file that the caller named.
        config: that stands in the file.
        without: sandbox layers that the caller switches off.

    Raises:
        UserError: the file asks for more than the user of the run stands behind.
    """
    places = [*path.absolute().parents, *path.resolve().parents]  # a link may lead out of the folder
    folder = next((place for place in places if (place / FILE_NAME).exists()), None)
    if folder is None:
        return
    with open_record(folder) as record:
        asks = {in_words(ask) for ask in requests(record, config, [*Use])}
        if not record.foreign:
            asks -= {
                in_words(ask) for ask in requests(record, recorded_config(record), [*Use]) if ask.unchanged
            }
    asks |= {f"no sandbox layer {name}" for name in config.sandbox.without if name not in without}
    if asks:
        raise UserError(
            USAGE,
            f"{path} belongs to a run; it asks for" + "".join(f"\n  {ask}" for ask in sorted(asks)),
            "read what is named, then name a copy outside the run's folder: such a file is your own word",
        )
