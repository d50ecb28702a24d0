"""One `[[model]]` table of the configuration, and how prompts are filled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from ...problems.base import Json
from ..settings import constant, knob
from .base import Price
from .keys import address_fault

COMMAND = "command:"
"""Begins the specification of a program that answers prompts."""
AGENT = "agent:"
"""Begins the specification of a program that works at a bench in place of answering a prompt."""
PROGRAMS = (COMMAND, AGENT)
MAY_HOLD_SECRET = "may_hold_secret"
"""Type of the validation errors whose input must not be repeated."""

_WRITTEN = Decimal("1.25")
"""Price of input that is written into a cache, relative to other input."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ModelSettings(BaseModel):
    """One model of a campaign: which, how much of the work, at what price and within which limits."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    spec: str = Field(
        min_length=1,
        description="openai/NAME, litellm/PROVIDER/NAME, command:PROGRAM, agent:PROGRAM, claude/NAME, "
        "codex/NAME, gemini/NAME, manual, replay/RUN, offline, or a plug-in's",
    )
    weight: float = Field(
        1.0,
        gt=0,
        le=1_000_000,
        description="share of the proposals, relative to the other models (> 0, at most 1,000,000)",
    )
    base_url: str | None = Field(
        None,
        description="address of an OpenAI-compatible server; none: the provider's own or OPENAI_BASE_URL",
    )
    api_key_env: str | None = Field(
        None, description="name of the environment variable with the key; none: the provider's usual one"
    )
    price_in_usd_per_million: Decimal | None = Field(
        None, ge=0, description="US dollars per million input tokens; needed for --usd"
    )
    price_out_usd_per_million: Decimal | None = Field(
        None, ge=0, description="US dollars per million output tokens, reasoning included; needed for --usd"
    )
    price_cached_usd_per_million: Decimal | None = Field(
        None, ge=0, description="US dollars per million cached input tokens; none: the input price"
    )
    max_output_tokens: int = Field(
        16_384,
        ge=1,
        le=1_000_000,
        description="limit of one reply in tokens, reasoning included; shorter where a cap leaves less",
    )
    unusable_replies: int = Field(
        6, ge=0, description="unusable replies in succession after which it is asked no more (0 is never)"
    )
    temperature: float | None = Field(None, ge=0, le=2, description="none: the provider's default")
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = Field(
        None, description="how long a reasoning model thinks; none: the provider's default"
    )
    stream: bool = Field(
        False, description="whether replies come as streams; found out where a server gives no other"
    )
    system_role: bool = Field(
        True,
        description="whether the system text is a message of its own; found out where a model refuses that",
    )
    cache: bool = Field(
        False,
        description="whether the beginning of prompts is marked for the provider's cache (`cache_control`), "
        "as Anthropic's models need; writing costs a quarter more, which caps count for all input",
    )
    timeout_seconds: float = Field(300.0, gt=0, description="wall seconds for one attempt")
    outage_seconds: float = Field(
        600.0, ge=0, description="wall seconds without any reply after which the campaign stops, resumable"
    )

    @field_validator("base_url")
    @classmethod
    def _check_address(cls, url: str | None) -> str | None:
        fault = None if url is None else address_fault(url)
        if fault is not None:
            raise PydanticCustomError(MAY_HOLD_SECRET, "{fault}", {"fault": fault})
        return url

    @field_validator("api_key_env")
    @classmethod
    def _check_name(cls, name: str | None) -> str | None:
        if name is not None and not _NAME.fullmatch(name):
            fault = (
                "expected the name of an environment variable (letters, digits, underscores), not the key "
                "itself; export NAME=… with the key, and put NAME here"
            )
            raise PydanticCustomError(MAY_HOLD_SECRET, "{fault}", {"fault": fault})
        return name

    @property
    def sent(self) -> dict[str, Json]:
        """Name → value of the parameters that are sent as they are, without those left to the provider."""
        return self.model_dump(include={"temperature", "reasoning_effort"}, exclude_none=True)

    @property
    def price(self) -> Price | None:
        """The price given here; None unless both input and output price are.

        With `cache` it is the most that input costs: what a provider writes into its cache.
        """
        if self.price_in_usd_per_million is None or self.price_out_usd_per_million is None:
            return None
        written = _WRITTEN if self.cache else 1
        return Price(
            self.price_in_usd_per_million * written,
            self.price_out_usd_per_million,
            self.price_cached_usd_per_million,
        )


# How models are asked: the knobs of the proposer that fills prompts.


@dataclass(frozen=True)
class PromptSettings:
    """What prompts hold, and who is asked."""

    tokens: int = knob(16_000, "size of one prompt (estimated tokens, >= 1)", ge=1)
    folder: str | None = knob(None, "folder whose templates replace the built-in ones")
    notes: int = knob(
        10,
        "outcomes of models' programs after which one more call writes the page of notes anew that later "
        "prompts show (count; 0 is no notes)",
        ge=0,
    )
    ledger: bool = constant(
        True, "whether prompts list what was tried, each line with its reply's own sentence"
    )


@dataclass(frozen=True)
class EpisodeSettings:
    """What one conversation with a model may use."""

    turns: int = knob(
        1,
        "questions of an episode (count, 1 to 200); 1 is one question without operations",
        ge=1,
        le=200,
    )
    tokens: int = knob(
        200_000,
        "tokens in and out after which an episode ends (count, >= 1); of those sent before a tenth",
        ge=1,
    )
    evaluations: int = knob(
        6, "programs that an episode evaluates in training, each an iteration (1 to 50)", ge=1, le=50
    )
    probes: int = knob(20, "executions by `probe` in an episode (count, >= 0)", ge=0, le=10_000)
    cpu_seconds: float = knob(
        120.0, "CPU seconds of an episode's experiments (>= 0, at most a day)", ge=0, le=86_400
    )

    @property
    def on(self) -> bool:
        """Whether models get operations."""
        return self.turns > 1

    @property
    def iterations(self) -> int:
        """Iterations that an episode opens (count): its evaluations, and one in which it ends."""
        return self.evaluations + 1 if self.on else 1
