"""Prices, and what a campaign may cost before it starts; a script writes the rows of the table."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from ...prompts.text import tokens
from ..types import Prompt
from .base import ErrorKind, ModelError
from .ledger import most_tokens_in
from .settings import ModelSettings

DATE = "2026-11-27"
"""Day on which `benchmarks/price_table.py` read the cost map of litellm 1.110.2 (MIT licence).

Providers may have changed their prices since.
"""

_ROWS = """
litellm/anthropic/claude-fable-5     10 50 1
litellm/anthropic/claude-fable-5-1   10 50 0.25
litellm/anthropic/claude-haiku-4-5   1 5 0.1
litellm/anthropic/claude-haiku-5-5   0.1 0.5 0.01
litellm/anthropic/claude-mythos-5    10 50 1
litellm/anthropic/claude-mythos-5-1  10 50 0.25
litellm/anthropic/claude-opus-4-5    5 25 0.5
litellm/anthropic/claude-opus-4-6    5 25 0.5
litellm/anthropic/claude-opus-4-7    5 25 0.5
litellm/anthropic/claude-opus-4-8    5 25 0.5
litellm/anthropic/claude-opus-5      5 25 0.5
litellm/anthropic/claude-opus-5-5    4 20 0.2
litellm/anthropic/claude-sonnet-4-5  3 15 0.3
litellm/anthropic/claude-sonnet-4-6  3 15 0.3
litellm/anthropic/claude-sonnet-5    2 10 0.2
litellm/anthropic/claude-sonnet-5-5  2 10 0.1
litellm/deepseek/deepseek-chat       0.28 0.42 0.028
litellm/deepseek/deepseek-coder      0.14 0.28 0.014
litellm/deepseek/deepseek-flash      0.3 1.2 0.006
litellm/deepseek/deepseek-r1         0.55 2.19 0.14
litellm/deepseek/deepseek-reasoner   0.28 0.42 0.028
litellm/deepseek/deepseek-v3         0.27 1.1 0.07
litellm/deepseek/deepseek-v3.2       0.28 0.4 0.028
litellm/deepseek/deepseek-v4-flash   0.3 1.2 0.006
litellm/deepseek/deepseek-v4-pro     1.32 3.96 0.044
litellm/gemini/gemini-2.5-flash      0.3 2.5 0.03
litellm/gemini/gemini-2.5-flash-lite 0.1 0.4 0.01
litellm/gemini/gemini-2.5-pro        1.25 10 0.125
litellm/gemini/gemini-3.1-flash-lite 0.25 1.5 0.025
litellm/gemini/gemini-3.5-flash      1.5 9 0.15
litellm/gemini/gemini-3.5-flash-lite 0.3 2.5 0.03
litellm/gemini/gemini-3.6-flash      0.75 3.75 0.075
litellm/gemini/gemini-3.7-flash      0.75 3.75 0.075
litellm/gemini/gemini-3.8-flash      0.75 3.75 0.075
litellm/gemini/gemini-4-argon        2 10 0.1
litellm/gemini/gemini-4-hydrogen     1.5 7.5 0.075
litellm/mistral/mistral-large-3      0.5 1.5 0.05
litellm/mistral/mistral-large-4      0.7 2.1 0.07
litellm/mistral/mistral-large-4-0    0.7 2.1 0.07
litellm/mistral/mistral-medium       1.5 7.5 0.15
litellm/mistral/mistral-medium-3     1.5 7.5 0.15
litellm/mistral/mistral-medium-3-5   1.5 7.5 0.15
litellm/mistral/mistral-medium-3.5   1.5 7.5 0.15
litellm/mistral/mistral-small        0.1 0.3 0.01
litellm/mistral/mistral-tiny         0.25 0.25 0.025
litellm/mistral/open-mistral-nemo    0.3 0.3 0.03
litellm/xai/grok-4.20                1.25 2.5 0.2
litellm/xai/grok-4.20-multi-agent    1.25 2.5 0.2
litellm/xai/grok-4.20-non-reasoning  1.25 2.5 0.2
litellm/xai/grok-4.20-reasoning      1.25 2.5 0.2
litellm/xai/grok-4.3                 1.25 2.5 0.2
litellm/xai/grok-4.5                 2 6 0.3
litellm/xai/grok-4.6                 2 6 0.5
litellm/xai/grok-4.7                 2 6 0.5
litellm/xai/grok-build-0.1           1 2 0.2
litellm/xai/grok-code-fast           1 2 0.2
litellm/xai/grok-code-fast-1         1 2 0.2
openai/gpt-4.1                       2 8 0.5
openai/gpt-4.1-mini                  0.4 1.6 0.1
openai/gpt-4.1-nano                  0.1 0.4 0.025
openai/gpt-4o                        2.5 10 1.25
openai/gpt-4o-mini                   0.15 0.6 0.075
openai/gpt-5                         1.25 10 0.125
openai/gpt-5-chat                    1.25 10 0.125
openai/gpt-5-codex                   1.25 10 0.125
openai/gpt-5-mini                    0.25 2 0.025
openai/gpt-5-nano                    0.05 0.4 0.005
openai/gpt-5-pro                     15 120 -
openai/gpt-5.1                       1.25 10 0.125
openai/gpt-5.1-codex                 1.25 10 0.125
openai/gpt-5.1-codex-max             1.25 10 0.125
openai/gpt-5.1-codex-mini            0.25 2 0.025
openai/gpt-5.2                       1.75 14 0.175
openai/gpt-5.2-codex                 1.75 14 0.175
openai/gpt-5.2-pro                   21 168 -
openai/gpt-5.3-codex                 1.75 14 0.175
openai/gpt-5.4                       2.5 15 0.25
openai/gpt-5.4-mini                  0.75 4.5 0.075
openai/gpt-5.4-nano                  0.2 1.25 0.02
openai/gpt-5.4-pro                   30 180 -
openai/gpt-5.5                       5 30 0.5
openai/gpt-5.5-pro                   30 180 -
openai/gpt-5.6                       4 20 0.4
openai/gpt-5.6-luna                  0.2 1.2 0.02
openai/gpt-5.6-sol                   4 20 0.4
openai/gpt-5.6-terra                 2 12 0.2
openai/gpt-6-astra                   10 50 1
openai/gpt-6-luna                    0.1 0.5 0.01
openai/gpt-6-sol                     2 10 0.2
openai/gpt-6.1-sol                   2 10 0.1
openai/gpt-6.1-terra                 1 5 0.05
openai/o1                            15 60 7.5
openai/o1-pro                        150 600 -
openai/o3                            2 8 0.5
openai/o3-mini                       1.1 4.4 0.55
openai/o3-pro                        20 80 -
openai/o4-mini                       1.1 4.4 0.275
"""


def _price(words: list[str]) -> tuple[Decimal, Decimal, Decimal | None]:
    return Decimal(words[0]), Decimal(words[1]), Decimal(words[2]) if words[2] != "-" else None


PRICES: Mapping[str, tuple[Decimal, Decimal, Decimal | None]] = {
    row.split()[0]: _price(row.split()[1:]) for row in _ROWS.strip().splitlines()
}
"""Specification → input, output, cached input (None: as input)."""


COST_MAP = "model_prices_and_context_window_backup.json"
FREE = ("manual", "replay", "scripted")
"""Providers that cost nothing here, whatever their replies hold."""
SHORT_REPLY = 400
"""Tokens of a short reply, for the lower end of a cost range."""


def with_price(settings: ModelSettings) -> ModelSettings:
    """Settings with their price: as configured, else of litellm's map when that package is installed, else
    of the table that comes along.

    The map is read as a file, so nothing is imported and nothing sent. Map and table know the providers' own
    prices only, so models behind a `base_url` are not looked up.
    """
    if _is_free(settings):
        return settings.model_copy(
            update={"price_in_usd_per_million": Decimal(0), "price_out_usd_per_million": Decimal(0)}
        )
    if settings.price is not None or settings.base_url is not None:
        return settings
    row = _row(settings.spec, _cost_map())
    if row is None:
        return _with_table_price(settings)
    return settings.model_copy(
        update={
            f"price_{name}_usd_per_million": Decimal(str(row[key])) * 1_000_000
            for name, key in (
                ("in", "input_cost_per_token"),
                ("out", "output_cost_per_token"),
                ("cached", "cache_read_input_token_cost"),
            )
            if row.get(key) is not None
        }
    )


def price_source(settings: ModelSettings) -> str | None:
    """Where `with_price` has the price from, in words; None where no price is known or it was configured."""
    if settings.price is not None or with_price(settings).price is None or _is_free(settings):
        return None
    mapped = _row(settings.spec, _cost_map()) is not None
    return "prices of the installed litellm" if mapped else f"prices of {DATE}, which may have changed"


def _is_free(settings: ModelSettings) -> bool:
    return settings.spec.split("/")[0] in FREE


def _with_table_price(settings: ModelSettings) -> ModelSettings:
    prices = PRICES.get(settings.spec)
    if prices is None:
        return settings
    names = ("in", "out", "cached")
    return settings.model_copy(
        update={f"price_{name}_usd_per_million": p for name, p in zip(names, prices, strict=True)}
    )


def _cost_map() -> Mapping[str, Any]:
    package = importlib.util.find_spec("litellm")
    if package is None or package.origin is None:
        return {}
    try:
        document = json.loads((Path(package.origin).parent / COST_MAP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


def _row(spec: str, document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    provider, _, name = spec.partition("/")
    names = [name, name.partition("/")[2]] if provider == "litellm" else [name, spec]
    for key in names:
        row = document.get(key)
        if isinstance(row, dict) and "input_cost_per_token" in row and "output_cost_per_token" in row:
            return row
    return None


def require_price(settings: ModelSettings, usd: Decimal | None, place: str = "model") -> None:
    """Refuses a model without a price under a cap in US dollars, before anything is sent.

    Args:
        settings: the model's table.
        usd: the cap (US dollars), None for none.
        place: how `--set` calls the table: `model`, or `model.0` for the first of several.

    Raises:
        ModelError: `REQUEST`, naming the keys to set.
    """
    if usd is not None and settings.price is None:
        raise ModelError(
            ErrorKind.REQUEST,
            f"[[model]] {settings.spec}: no price is known, so a cap of {usd:g} US dollars could not be "
            f"kept; give it with --set {place}.price_in_usd_per_million=… "
            f"--set {place}.price_out_usd_per_million=… "
            "(US dollars per million tokens, 0 for a server of your own), or as keys of its table; a cap in "
            "tokens, such as --budget 1Mtok, needs none",
        )


@dataclass(frozen=True, slots=True)
class CostRange:
    """What a number of proposals may cost.

    Attributes:
        prompt_tokens: estimated size of the prompt (tokens).
        low_usd: every reply short, none repaired; None without a price.
        high_usd: every call at its limits, every reply repaired; None without a price.
    """

    prompt_tokens: int
    low_usd: Decimal | None
    high_usd: Decimal | None


def cost_range(
    settings: ModelSettings, prompt: Prompt, proposals: int, cap: Decimal | None = None
) -> CostRange:
    """The cost range of `proposals` (count) like this prompt, not beyond the cap (US dollars)."""
    estimate = tokens(prompt.system) + tokens(prompt.user)
    price = settings.price
    if price is None:
        return CostRange(estimate, None, None)
    low = price.cost(estimate, min(SHORT_REPLY, settings.max_output_tokens))
    high = 2 * price.cost(most_tokens_in(prompt), settings.max_output_tokens)
    ends = [proposals * end if cap is None else min(proposals * end, cap) for end in (low, high)]
    return CostRange(estimate, *ends)
