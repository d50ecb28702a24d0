"""The configuration of a campaign: strict, every key with unit, range and default."""

from __future__ import annotations

import dataclasses
import difflib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from ..evolve.budget import Budget
from ..evolve.knobs import knob
from ..evolve.measures import DEFAULT_NAMES, MEASURES
from ..evolve.models.settings import MAY_HOLD_SECRET, ModelSettings
from ..evolve.search import PopulationSettings, SearchSettings
from ..evolve.selection import FRESH_UNTIL
from ..sandbox.policy import LAYERS
from .errors import INVALID, UserError

Count = Annotated[int, Field(ge=1)]

DEFAULT_ITERATIONS = 400
"""Budget of a campaign that names none."""


def _known_measure(name: str) -> str:
    if name not in MEASURES:
        raise ValueError(f"expected one of {', '.join(MEASURES)}")
    return name


def _known_layer(name: str) -> str:
    if name not in LAYERS:
        raise ValueError(f"expected one of {', '.join(LAYERS)}")
    return name


LayerName = Annotated[str, AfterValidator(_known_layer)]
MeasureName = Annotated[str, AfterValidator(_known_measure)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class CampaignSection(_Section):
    """What is searched, and from which random seed."""

    problem: str = Field("smtt", description="a problem's name, a file, or module:attribute")
    seed: int = Field(1, ge=0, description="of the search's random streams (pure number, >= 0)")
    control: Literal["none", "best-of-n", "random"] = Field(
        "none",
        description="what takes the place of the search: none, best-of-n (independent changes of the start "
        "program) or random (changes of any valid candidate)",
    )
    in_flight: Count = Field(8, le=256, description="iterations under way at once (count, 1 to 256)")


_CHECKS = ConfigDict(extra="forbid", allow_inf_nan=False)
"""How a section is checked whose knobs are declared by the loop's components."""


@dataclass(frozen=True)
class ArchiveSection(PopulationSettings):
    """Islands, how they meet, and the cells of the archive."""

    __pydantic_config__: ClassVar[ConfigDict] = _CHECKS

    measures: tuple[MeasureName, ...] = knob(
        DEFAULT_NAMES,
        "what the archive's cells are made of (names, 0 to 3; none is one cell an island): "
        + ", ".join(MEASURES),
        strict=False,
        max_length=3,
    )


@dataclass(frozen=True)
class SearchSection(SearchSettings):
    """How the budget is spent."""

    __pydantic_config__: ClassVar[ConfigDict] = _CHECKS

    simplify: int = knob(
        0, "reduced forms of the champion to try after the campaign (count; 0 is none)", ge=0
    )


class BudgetSection(_Section):
    """Totals over stops and resumes; without any of them a default number of iterations."""

    iterations: Count | None = Field(
        None, description=f"iterations (count, >= 1); {DEFAULT_ITERATIONS} if nothing here is limited"
    )
    evaluations: Count | None = Field(None, description="candidates evaluated in training (count, >= 1)")
    executions: Count | None = Field(None, description="executions in training and validation (count)")
    cpu_seconds: Annotated[float, Field(gt=0)] | None = Field(
        None, description="CPU seconds of executions (> 0); ends the same trajectory earlier"
    )
    seconds: Annotated[float, Field(gt=0)] | None = Field(
        None, description="wall seconds of search (> 0); ends the same trajectory earlier"
    )
    patience: Count | None = Field(None, description="iterations without a better best (count, >= 1)")
    tokens: Count | None = Field(None, description="tokens in and out of all models, a hard cap (count)")
    usd: Annotated[float, Field(gt=0)] | None = Field(
        None, description="US dollars over all models, a hard cap (> 0)"
    )

    def of_loop(self, gates: tuple[tuple[int, int | None], ...]) -> Budget:
        """The limits that the loop keeps; tokens and money are kept where models are called."""
        names = {field.name for field in dataclasses.fields(Budget)} - {"gates"}
        return Budget(**{name: getattr(self, name) for name in names}, gates=gates)

    @property
    def limited(self) -> bool:
        """Whether anything is limited."""
        return any(value is not None for value in self.model_dump().values())


class EvaluationSection(_Section):
    """Which instances are drawn and how the champion is chosen."""

    instance_seed: int = Field(
        1, ge=0, description="of the instances and of the candidates' random streams (pure number, >= 0)"
    )
    secret: str | None = Field(
        None,
        pattern=r"^([0-9a-f]{32,128})?$",
        description="what candidates cannot know and hidden parts of instances are drawn with (32 to 128 "
        "hexadecimal digits); by default this installation's, empty for the public draw",
    )
    reference_seconds: float = Field(
        10.0,
        gt=0,
        le=604_800,
        description="wall seconds that one reference may take (> 0, at most a week); then its proven bound",
    )
    instances: tuple[str, ...] = Field(
        (),
        strict=False,
        max_length=3,
        description="named sets or instance files in place of the problem's splits: one (split 50/25/25 by "
        "stratum) or three (training, validation, test)",
    )
    champions: Count = Field(10, description="top elites that are validated at the end (count, >= 1)")


class SandboxSection(_Section):
    """What one execution may use."""

    cpu_seconds: float = Field(
        1.0, gt=0, le=86_400, description="CPU seconds per instance (> 0, at most a day: 86,400)"
    )
    memory_mb: float = Field(
        512.0, ge=1, le=1_048_576, description="MiB of memory per execution (1 to 1,048,576)"
    )
    output_kb: float = Field(
        1024.0,
        ge=1,
        le=262_144,
        description="KiB of answer per execution (1 to 262,144); the tool reads it whole",
    )
    modules: tuple[str, ...] = Field(
        (), strict=False, description="modules that a candidate may import beside the standard list (names)"
    )
    without: tuple[LayerName, ...] = Field(
        (),
        strict=False,
        description="sandbox layers that are switched off (names; --unsafe-without): " + ", ".join(LAYERS),
    )


class PromptsSection(_Section):
    """How models are asked; of no effect offline."""

    tokens: Count = Field(16_000, description="size of one prompt (estimated tokens, >= 1)")
    folder: str | None = Field(None, description="folder whose templates replace the built-in ones")
    choice: Literal["weights", "bandit"] = Field(
        "weights", description="how model and operator are chosen: by weight, or by improvement per cost"
    )


class RunSection(_Section):
    """How the work is done; nothing here changes a result."""

    workers: Count | None = Field(
        None, le=256, description="sandbox slots at work (count, 1 to 256); by default one per processor"
    )


class Config(_Section):
    """A whole configuration; `[problem]` holds the problem's own parameters."""

    campaign: CampaignSection = CampaignSection()
    archive: ArchiveSection = ArchiveSection()
    search: SearchSection = SearchSection()
    budget: BudgetSection = BudgetSection()
    evaluation: EvaluationSection = EvaluationSection()
    sandbox: SandboxSection = SandboxSection()
    prompts: PromptsSection = PromptsSection()
    run: RunSection = RunSection()
    problem: dict[str, Any] = Field(default_factory=dict)
    model: tuple[ModelSettings, ...] = Field((), strict=False)

    @property
    def uses_models(self) -> bool:
        """Whether language models are asked; `offline` alone is none."""
        return any(table.spec != "offline" for table in self.model)


SECTIONS = ("campaign", "archive", "search", "budget", "evaluation", "sandbox", "prompts", "run")


def parse(document: Mapping[str, Any], where: str) -> Config:
    """A configuration from a mapping of sections.

    Raises:
        UserError: an unknown key (with the nearest match) or a value out of range, all of them at once.
    """
    try:
        config = Config.model_validate(document)
    except ValidationError as error:
        lines = [_explain(item, where) for item in error.errors()]
        raise UserError(
            INVALID, "\n".join(lines), "`gapsmith config explain KEY` tells what a key means"
        ) from error
    return config if config.search.fresh_until is not None else _with_fresh_until(config)


def _with_fresh_until(config: Config) -> Config:
    """A configuration with that default, which depends on other keys; stored with a run, so that it stays."""
    budget = config.budget
    asks = [n for n in (budget.iterations, budget.evaluations) if n is not None]
    if not budget.limited:
        asks = [DEFAULT_ITERATIONS]
    until = 0 if config.uses_models else min([FRESH_UNTIL, *(n // 4 for n in asks)])
    return config.model_copy(update={"search": dataclasses.replace(config.search, fresh_until=until)})


def resolve_budget(config: Config) -> Config:
    """A configuration with the default number of iterations if it limits nothing."""
    if config.budget.limited:
        return config
    budget = config.budget.model_copy(update={"iterations": DEFAULT_ITERATIONS})
    return config.model_copy(update={"budget": budget})


def read(path: Path) -> dict[str, Any]:
    """The mapping of a TOML file.

    Raises:
        UserError: it cannot be read or is no TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        raise UserError(INVALID, f"{path}: {error.strerror}, expected a configuration file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
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
        near = difflib.get_close_matches(f"{section}.{key}", known, 3, 0.4)
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


def dump(document: Mapping[str, Any]) -> str:
    """TOML text of a configuration mapping; keys without a value are left out."""
    lines: list[str] = []
    for section, table in document.items():
        if section == "model":
            for entry in table:
                lines += ["[[model]]", *_rows(entry), ""]
        elif table:
            lines += [f"[{section}]", *_rows(table), ""]
    return "\n".join(lines)


def toml_value(value: Any) -> str:
    """TOML text of a plain value: JSON's form of texts, numbers, booleans and lists is TOML's too."""
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml_value(v)}" for k, v in value.items() if v is not None) + " }"
    return json.dumps(value, ensure_ascii=False)


def _rows(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {toml_value(value)}" for key, value in table.items() if value is not None]


def _fields(section: str) -> dict[str, Any]:
    if section == "model":
        return dict(ModelSettings.model_fields)
    if section not in SECTIONS:
        return {}
    kind = type(Config.model_fields[section].default)
    if issubclass(kind, BaseModel):
        return dict(kind.model_fields)
    return {f.name: FieldInfo.from_annotated_attribute(Any, f) for f in dataclasses.fields(kind)}


def _explain(error: ErrorDetails, where: str) -> str:
    """One problem as `file [section] key: got …, expected …`."""
    location = [str(part) for part in error["loc"]]
    section, key = location[0], ".".join(location[1:])
    place = f"{where} [{section}] {key}".rstrip()
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        known = list(_fields(section)) if len(location) > 1 else list(Config.model_fields)
        near = difflib.get_close_matches(location[-1], known, 1, 0.4)
        return f"{place}: unknown key" + (
            f", did you mean {near[0]}?" if near else f", expected {', '.join(known)}"
        )
    field = _fields(section).get(location[-1]) or _fields(section).get(key)
    expected = error["msg"][0].lower() + error["msg"][1:]
    if error["type"] in ("model_type", "dict_type", "dataclass_type"):
        expected = f"expected a table: keys under [{section}]"
    meaning = f" ({field.description})" if field is not None and field.description else ""
    unnamed = location == ["model"]  # what stands there may hold an address with a secret, or a key
    if unnamed:
        expected = "expected a list of tables: [[model]], in two pairs of brackets"
    got = "" if unnamed or error["type"] == MAY_HOLD_SECRET else f"got {error['input']!r}, "
    return f"{place}: {got}{expected}{meaning}"
