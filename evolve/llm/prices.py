"""Prices, and what a campaign may cost before it starts."""

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
from .price_table import DATE, PRICES
from .settings import ModelSettings

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
