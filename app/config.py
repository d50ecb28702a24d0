"""The configuration of a campaign: strict, every key with unit, range and default; its workers."""

from __future__ import annotations

import dataclasses
import difflib
import os
import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from ..evolve.budget import DEFAULT_ITERATIONS, DEFAULT_SECONDS, BudgetSettings
from ..evolve.islands import islands_with_models
from ..evolve.llm.settings import MAY_HOLD_SECRET, EpisodeSettings, ModelSettings, PromptSettings
from ..evolve.measures import DEFAULT_NAMES, MEASURES, TIME
from ..evolve.search import PopulationSettings, SearchSettings
from ..evolve.selection import FRESH_UNTIL
from ..evolve.settings import LEFT, knob
from ..evolve.validation import ChampionSettings
from ..sandbox.settings import SandboxSettings
from .errors import INVALID, UserError
from .formatting import toml_value

# What `--workers` and `run.workers` may say: threads, processes, or the nodes of a Ray cluster.


class Workers(StrEnum):
    """What evaluates candidates."""

    THREADS = "threads"
    PROCESSES = "processes"
    RAY = "ray"


MOST_WORKERS = 256
_WORKERS = re.compile(r"(?:processes:)?([0-9]{1,4})|processes|ray|ray://[^\s/@]+:[0-9]{1,5}")
WORKERS_FORM = f"expected 1 to {MOST_WORKERS}, processes, processes:N, ray or ray://HOST:PORT"


def read_workers(value: object) -> int | str:
    """`run.workers` as it is kept: a count for threads, a text for other workers.

    Raises:
        ValueError: it is neither a count nor such a text.
    """
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    match = _WORKERS.fullmatch(text) if isinstance(text, str) else None
    if match is None or not 1 <= int(match[1] or 1) <= MOST_WORKERS:
        raise ValueError(WORKERS_FORM)
    return int(match[0]) if match[0].isdecimal() else match[0]


def kind_of(workers: int | str | None) -> Workers:
    """What the workers are."""
    if isinstance(workers, str):
        return Workers.RAY if workers.startswith("ray") else Workers.PROCESSES
    return Workers.THREADS


def slots_of(workers: int | str | None) -> int:
    """Programs that may run at once on this machine (count)."""
    count = str(workers or "").removeprefix("processes:")
    return int(count) if count.isdecimal() else os.cpu_count() or 1


_MOST_BYTES = 2**18
"""Of a configuration file."""
_LONG_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")
"""A dotted key so long that the TOML reader needs quadratic time for it."""


def _known_measure(name: str) -> str:
    if name not in MEASURES:
        raise ValueError(f"expected one of {', '.join(MEASURES)}")
    return name


MeasureName = Annotated[str, AfterValidator(_known_measure)]


@dataclass(frozen=True)
class _Section:
    """A section of the file: knobs of its own and those of the components that take it."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)


IN_FLIGHT_OF_MODELS = (2, 8)
"""Least and most questions under way at once where the user names no number (counts)."""


@dataclass(frozen=True)
class CampaignSection(_Section):
    """What is searched, and from which random seed."""

    problem: str = knob("smtt", "a problem's name, a file, or module:attribute")
    seed: int = knob(1, "of the search's random streams (pure number, >= 0)", ge=0)
    control: Literal["none", "best-of-n", "random"] = knob(
        "none",
        "what takes the place of the search: none, best-of-n (independent changes of the best founder) or "
        "random (changes of any valid candidate)",
        strict=None,
    )
    in_flight: int = knob(
        8,
        "iterations under way at once (count, 1 to 256); with models by default a sixteenth of the "
        f"questions, {IN_FLIGHT_OF_MODELS[0]} to {IN_FLIGHT_OF_MODELS[1]}",
        ge=1,
        le=256,
    )


@dataclass(frozen=True)
class ArchiveSection(PopulationSettings, _Section):
    """Islands, how they meet, and the cells of the archive."""

    measures: tuple[MeasureName, ...] = knob(
        DEFAULT_NAMES,
        "what the archive's cells are made of (names, 0 to 3; none is one cell an island): "
        + ", ".join(MEASURES),
        strict=False,
        max_length=3,
    )


@dataclass(frozen=True)
class SearchSection(SearchSettings, _Section):
    """How the budget is spent."""

    founders: Literal["all", "start"] = knob(
        "all",
        "programs that the search begins with: all (start programs and baselines) or start (start programs "
        "alone: discovery from scratch)",
        strict=None,
    )
    selection: str | None = knob(
        None,
        "how parents are chosen: module:Class of a selection of your own (docs/how-to/add-a-selection.md), "
        "or a name of Gapsmith's; default: the search's",
        pattern=r"^(?:[A-Za-z_][\w.]*:[A-Za-z_]\w*|[a-z][a-z-]*)$",
    )


@dataclass(frozen=True)
class BudgetSection(BudgetSettings, _Section):
    """Totals over stops and resumes; without any of them a default number of iterations."""


@dataclass(frozen=True)
class EvaluationSection(ChampionSettings, _Section):
    """Which instances are drawn and how the champion is chosen."""

    instance_seed: int = knob(
        1, "of the instances and of the candidates' random streams (pure number, >= 0)", ge=0
    )
    hidden_seed: int | None = knob(
        None,
        "of the validation and test instances where it is another one than instance_seed (pure number, >= 0)",
        ge=0,
    )
    secret: str | None = knob(
        None,
        "what candidates cannot know and hidden parts of instances are drawn with (32 to 128 hexadecimal "
        "digits); by default this installation's, empty for the public draw",
        pattern=r"^([0-9a-f]{32,128})?$",
    )
    reference_seconds: float = knob(
        10.0,
        "wall seconds that one reference may take (> 0, at most a week); then its proven bound",
        gt=0,
        le=604_800,
    )
    instances: tuple[str, ...] = knob(
        (),
        "named sets or instance files in place of the problem's splits: one (split 50/25/25 by stratum) or "
        "three (training, validation, test)",
        strict=False,
        max_length=3,
    )


@dataclass(frozen=True)
class SandboxSection(SandboxSettings, _Section):
    """What one execution may use."""


@dataclass(frozen=True)
class PromptsSection(PromptSettings, _Section):
    """How models are asked; of no effect offline."""


@dataclass(frozen=True)
class EpisodeSection(EpisodeSettings, _Section):
    """Conversations in which a model experiments, in place of single questions; of no effect offline."""


@dataclass(frozen=True)
class RunSection(_Section):
    """How the work is done; nothing here changes a result."""

    workers: Annotated[int | str, PlainValidator(read_workers)] | None = knob(
        None,
        f"workers with a sandbox slot each: a count (1 to {MOST_WORKERS}) for threads of one process, "
        "processes or processes:N for a process each, ray or ray://HOST:PORT for each processor of a Ray "
        "cluster; by default a thread per processor",
        strict=None,
    )

    @property
    def kind(self) -> Workers:
        """What the workers are."""
        return kind_of(self.workers)

    @property
    def words(self) -> str:
        """What the workers are, for people."""
        return str(self.workers) if self.kind is Workers.RAY else f"{self.slots} slots"

    @property
    def slots(self) -> int:
        """Programs that may run at once on this machine (count)."""
        return slots_of(self.workers)


class Config(BaseModel):
    """A whole configuration; `[problem]` holds the problem's own parameters."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    campaign: CampaignSection = CampaignSection()
    archive: ArchiveSection = ArchiveSection()
    search: SearchSection = SearchSection()
    budget: BudgetSection = BudgetSection()
    evaluation: EvaluationSection = EvaluationSection()
    sandbox: SandboxSection = SandboxSection()
    prompts: PromptsSection = PromptsSection()
    episode: EpisodeSection = EpisodeSection()
    run: RunSection = RunSection()
    problem: dict[str, Any] = Field(default_factory=dict)
    model: tuple[ModelSettings, ...] = Field((), strict=False)

    @property
    def uses_models(self) -> bool:
        """Whether language models are asked; `offline` alone is none."""
        return any(table.spec != "offline" for table in self.model)

    def document(self) -> dict[str, Any]:
        """Section → keys that a user may set, as JSON: what a configuration file holds."""
        whole = self.model_dump(mode="json")
        for section in SECTIONS:
            for key in constants(section):
                del whole[section][key]
        return whole

    @property
    def programs(self) -> int:
        """Iterations that share an episode (count)."""
        return self.episode.iterations if self.episode.on else 1

    @property
    def timed(self) -> bool:
        """Whether measured times decide anything, so that the run is the same on another machine no more."""
        return self.evaluation.time_budget is not None or TIME in self.archive.measures

    @property
    def offline_share(self) -> float:
        """Share of the iterations that the offline proposer makes beside models (ratio)."""
        if not self.uses_models:
            return 0.0
        offline = sum(table.weight for table in self.model if table.spec == "offline")
        return offline / sum(table.weight for table in self.model)


SECTIONS = ("campaign", "archive", "search", "budget", "evaluation", "sandbox", "prompts", "episode", "run")


def parse(document: Mapping[str, Any], where: str, *, recorded: bool = False) -> Config:
    """A configuration from a mapping of sections.

    Args:
        document: section → keys.
        where: what the document is of, for messages.
        recorded: whether it is of a run, which also holds constants of the search.

    Raises:
        UserError: an unknown key (with the nearest match) or a value out of range, all of them at once.
    """
    if recorded:
        document = {
            section: {k: v for k, v in table.items() if f"{section}.{k}" not in LEFT}
            if isinstance(table, Mapping)
            else table
            for section, table in document.items()
        }
    else:
        _refuse_constants(document, where)
    try:
        config = Config.model_validate(document)
    except ValidationError as error:
        lines = [_explain(item, where) for item in error.errors()]
        raise UserError(
            INVALID, "\n".join(lines), "`gapsmith config explain KEY` tells what a key means"
        ) from error
    return _with_defaults(config, document)


def _refuse_constants(document: Mapping[str, Any], where: str) -> None:
    """Refuses keys that are constants of the search.

    Raises:
        UserError: there are some.
    """
    found = [
        f"{where} [{section}] {key}: unknown key; it is a constant of the search"
        for section in SECTIONS
        if isinstance(table := document.get(section), Mapping)
        for key in table
        if key in constants(section)
    ]
    if found:
        raise UserError(INVALID, "\n".join(found), "leave it out; files of earlier versions may hold it")


def constants(section: str) -> frozenset[str]:
    """Names of the fields of a section that are recorded with a run and that nobody sets."""
    kind = type(Config.model_fields[section].default)
    return frozenset(f.name for f in dataclasses.fields(kind) if f.metadata.get("constant"))


def _with_defaults(config: Config, document: Mapping[str, Any]) -> Config:
    """A configuration with the defaults that depend on other keys; stored with a run, so that they stay.

    Args:
        config: as parsed.
        document: what it was parsed from: a key that stands there keeps its value.
    """
    budget = config.budget
    search = config.search
    archive = config.archive
    asks = [n for n in (budget.iterations, budget.evaluations) if n is not None]
    if not budget.limited:
        asks = [DEFAULT_ITERATIONS]
    if search.fresh_until is None:
        begun = config.uses_models or search.founders == "all"  # with textbook rules or dear calls
        none = begun or search.fresh_share == 0
        until = 0 if none else min([FRESH_UNTIL, *(n // 4 for n in asks)])
        search = dataclasses.replace(search, fresh_until=until)
    questions = min((round(n * (1 - config.offline_share)) for n in asks), default=None)
    set_by_user = document.get("search", {})
    if config.uses_models and "fresh_share" not in set_by_user:
        search = dataclasses.replace(search, fresh_share=0.0)
    if config.uses_models and "tune_share" not in set_by_user:
        search = dataclasses.replace(search, tune_share=0.0)
    if config.uses_models and "islands" not in document.get("archive", {}):
        archive = dataclasses.replace(archive, islands=islands_with_models(questions))
    campaign = config.campaign
    if config.uses_models and "in_flight" not in document.get("campaign", {}):
        least, most = IN_FLIGHT_OF_MODELS
        many = most if questions is None else max(least, min(most, questions // 16))
        campaign = dataclasses.replace(campaign, in_flight=many)
    return config.model_copy(update={"campaign": campaign, "search": search, "archive": archive})


def resolve_budget(config: Config, prepared: float = 0.0) -> Config:
    """A configuration with the default budget if it limits nothing.

    What the offline proposer writes may take a hundred times as long as a textbook rule, so iterations
    do not bound how long a first campaign takes; with a model the calls do.

    Args:
        config: whole configuration.
        prepared: wall seconds that references took; a problem that takes long to measure gets more.
    """
    if config.budget.limited:
        return config
    if config.uses_models:
        budget = dataclasses.replace(config.budget, iterations=DEFAULT_ITERATIONS)
    else:
        seconds = max(DEFAULT_SECONDS, float(ceil(2 * prepared)))
        budget = dataclasses.replace(config.budget, seconds=seconds)
    return config.model_copy(update={"budget": budget})


def read(path: Path) -> dict[str, Any]:
    """The mapping of a TOML file.

    Raises:
        UserError: it cannot be read or is no TOML.
    """
    try:
        # A file of a run folder may be anything: a pipe would be waited for, a device has no end.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise UserError(INVALID, f"{path}: no plain file, expected a configuration file")
            raw = stream.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise UserError(INVALID, f"{path}: more than {_MOST_BYTES} bytes, expected a configuration file")
        text = raw.decode("utf-8-sig").replace("\r\n", "\n")
        if _LONG_KEY.search(text):
            raise UserError(INVALID, f"{path}: a key of more than 50 parts, expected SECTION.KEY")
        return tomllib.loads(text)
    except OSError as error:
        raise UserError(INVALID, f"{path}: {error.strerror}, expected a configuration file") from error
    except (ValueError, RecursionError) as error:
        raise UserError(INVALID, f"{path}: {error}, expected TOML") from error


def describe(section: str, key: str) -> str:
    """Meaning, range and default of a key, one line.

    Raises:
        UserError: there is no such key.
    """
    model = Config.model_fields.get(section)
    fields = _fields(section)
    if model is None or key not in fields:
        known = [f"{s}.{k}" for s in (*SECTIONS, "model") for k in _fields(s)]
        if section == "problem":
            hint = "`gapsmith problems show NAME` lists a problem's parameters"
            raise UserError(INVALID, f"{section}.{key}: a parameter of one problem", hint)
        near = difflib.get_close_matches(f"{section}.{key}", known, 3, 0.6)
        hint = f"did you mean {', '.join(near)}?" if near else "`gapsmith config show` lists all keys"
        raise UserError(INVALID, f"{f'{section}.{key}'.rstrip('.')}: unknown key", hint)
    field = fields[key]
    default = field.get_default(call_default_factory=True)
    shown = (
        "required"
        if field.is_required()
        else f"default {toml_value(default) if default is not None else 'none'}"
    )
    return f"{section}.{key}: {field.description} ({shown})"


def starter() -> str:
    """A commented configuration file with every key at its default."""
    lines = [
        "# A Gapsmith campaign. Every key is optional; remove the # to set one, and give it a value.",
        "",
    ]
    for section in SECTIONS:
        lines += [f"[{section}]"]
        for key, field in _fields(section).items():
            default = field.get_default(call_default_factory=True)
            value = "" if default is None else toml_value(default)
            lines += [f"# {field.description}", f"# {key} = {value}"]
        lines.append("")
    lines += ["# [problem]", "# parameters of the problem: `gapsmith problems show NAME` lists them", ""]
    lines += ["# [[model]]", '# spec = "openai/NAME"', "# `gapsmith models` lists the providers", ""]
    return "\n".join(lines)


def _fields(section: str) -> dict[str, Any]:
    if section == "model":
        return dict(ModelSettings.model_fields)
    if section not in SECTIONS:
        return {}
    kind = type(Config.model_fields[section].default)
    hidden = constants(section)
    fields = [field for field in dataclasses.fields(kind) if field.name not in hidden]
    return {field.name: FieldInfo.from_annotated_attribute(Any, field) for field in fields}


def _suggestion(location: list[str], given: object) -> str:
    """The same key in the table that has it, else the nearest name, else all names."""
    keys = location[1:] or (list(given) if isinstance(given, dict) else [])
    homes = [f"{table}.{key}" for key in keys for table in (*SECTIONS, "model") if key in _fields(table)]
    if homes:
        return f", did you mean {' or '.join(homes)}?"
    known = list(_fields(location[0])) if len(location) > 1 else list(Config.model_fields)
    near = difflib.get_close_matches(location[-1], known, 1, 0.4)
    return f", did you mean {near[0]}?" if near else f", expected {', '.join(known)}"


def _explain(error: ErrorDetails, where: str) -> str:
    """One problem as `file [section] key: got …, expected …`."""
    location = [str(part) for part in error["loc"]]
    section = location[0]
    key = ".".join(location[1:])
    place = f"{where} [{section}] {key}".rstrip()
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{place}: unknown {'key' if key else 'table'}{_suggestion(location, error['input'])}"
    field = _fields(section).get(location[-1]) or _fields(section).get(key)
    expected = error["msg"][0].lower() + error["msg"][1:]
    if error["type"] in ("model_type", "dict_type", "dataclass_type"):
        expected = f"expected a table: keys under [{section}]"
    if error["type"] == "literal_error":
        names = error["ctx"]["expected"].replace(" or ", ", ").replace("'", "")
        expected = f"expected one of {names}"
    meaning = f" ({field.description})" if field is not None and field.description else ""
    unnamed = location == ["model"]  # what stands there may hold an address with a secret, or a key
    if unnamed:
        expected = "expected a list of tables: [[model]], in two pairs of brackets"
    got = "" if unnamed or error["type"] == MAY_HOLD_SECRET else f"got {error['input']!r}, "
    return f"{place}: {got}{expected}{meaning}"
