"""The plan of a campaign: what it would ask for and cost, before anything is spent."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any

from ..evolve.campaign import Campaign
from ..evolve.llm.prices import CostRange, cost_range, price_source, with_price
from ..evolve.types import Origin, Prompt

if TYPE_CHECKING:
    from .config import Config


def plan(campaign: Campaign, config: Config) -> dict[str, Any]:
    """Expected calls, cost range, one rendered prompt (None offline), its shares, and lines to print."""
    proposals = config.budget.iterations or config.budget.evaluations
    if proposals is not None:
        shared = config.episode.evaluations if config.episode.on else 1
        turns = proposals / (shared * (1 - config.offline_share) + config.offline_share)
        proposals = max(1, ceil(turns * (1 - config.offline_share) - 1e-9)) * config.episode.turns
    prompt, shares = _prompt(campaign)
    ranges = [] if prompt is None else _ranges(config, prompt, proposals or 1)
    return {
        "problem": config.campaign.problem,
        "models": [table.spec for table in config.model] or ["offline"],
        "budget": asdict(config.budget),
        "calls": 0 if prompt is None else proposals,
        "cost": [
            {"model": spec, "low_usd": _float(estimate.low_usd), "high_usd": _float(estimate.high_usd)}
            for spec, estimate in ranges
        ],
        "prompt": None if prompt is None else {"system": prompt.system, "user": prompt.user},
        "shares": shares,
        "lines": [*_lines(config, proposals, ranges), *_share_lines(config, shares)],
    }


def _prompt(campaign: Campaign) -> tuple[Prompt | None, dict[str, int]]:
    """The first prompt of the campaign, as its first model would get it, and its size by content.

    Raises:
        TemplateInvalid: the template of any question cannot be filled, the first or a later one.
    """
    from ..evolve.llm.proposer import PromptedProposer
    from ..prompts.builder import NOTES

    proposer = campaign.ports.proposer
    if not isinstance(proposer, PromptedProposer):
        return None, {}
    elites = [campaign.search.start]
    context = campaign.search.context(1, elites)
    for later in (Origin.IMPROVE, Origin.EXPLORE, Origin.COMBINE, Origin.SIMPLIFY, NOTES):
        proposer.ask_for(later, elites, context)
    prompt = proposer.ask_for(Origin.IMPROVE, elites, context)
    if not isinstance(prompt, Prompt):
        return None, {}
    return prompt, proposer.shares(Origin.IMPROVE, elites, context)


def _share_lines(config: Config, shares: dict[str, int]) -> list[str]:
    """How the first prompt's size divides by content."""
    if not shares:
        return []
    parts = ", ".join(f"{name} {size}" for name, size in shares.items())
    return [f"of {config.prompts.tokens} tokens a prompt may have, the first uses: {parts}"]


def _ranges(config: Config, prompt: Prompt, proposals: int) -> list[tuple[str, CostRange]]:
    """Cost range of each model for its share of the proposals, neither end above the cap."""
    cap = None if config.budget.usd is None else Decimal(str(config.budget.usd))
    tables = [with_price(table) for table in config.model if table.spec != "offline"]
    whole = sum(table.weight for table in tables)
    return [
        (table.spec, cost_range(table, prompt, max(1, round(proposals * table.weight / whole)), cap))
        for table in tables
    ]


def _lines(config: Config, proposals: int | None, ranges: list[tuple[str, CostRange]]) -> list[str]:
    limits = [f"{k} {v}" for k, v in asdict(config.budget).items() if v is not None]
    lines = [f"plan: {config.campaign.problem}, budget: {', '.join(limits)}"]
    if not ranges:
        return [*lines, "offline: no calls, no cost"]
    calls = (
        "calls until another budget ends"
        if proposals is None
        else f"at most {proposals} calls, repairs aside"
    )
    lines.append(f"{calls}; a prompt has about {ranges[0][1].prompt_tokens} tokens")
    sources = {t.spec: f" ({source})" for t in config.model if (source := price_source(t)) is not None}
    for spec, price in ranges:
        cost = (
            "price not known" if price.low_usd is None else f"${price.low_usd:.4f} to ${price.high_usd:.4f}"
        )
        lines.append(f"{spec}: {cost}{'' if proposals else ' a call'}{sources.get(spec, '')}")
    return lines


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
