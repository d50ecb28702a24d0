"""Figures of each model and operator: calls, replies that became candidates, improvements, cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...evolve.pages import page_of
from ...evolve.store.reader import Reader
from ...evolve.store.recorded import written_notes
from ...evolve.store.work import calls_in_order, improved_iterations, without_candidate

_COUNTS = ("calls", "replies", "candidates", "improved", "tokens_in", "tokens_out")


def model_figures(reader: Reader) -> list[dict[str, Any]]:
    """One row for each model and operator, after a total (`operator` None) if a model has several operators.

    A row holds `model`, `operator`, `calls` (retries included), `share_percent` of all calls, `replies`
    (usable ones), `candidates` (replies that became one), `apply_rate_percent` (candidates / replies),
    `improved` (new bests in training), `improvement_rate_percent` (improved /
    replies), `tokens_in`, `tokens_out`, and `cost_usd`, None when a price is unknown. The outcome of an
    iteration counts for its last reply, so after a repair for the repair's reply. Rates without a reply are
    None.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    last: dict[int, dict[str, Any]] = {}
    for model, operator, iteration, replied, tokens_in, tokens_out, cost, text in calls_in_order(reader):
        row = rows.get((model, operator))
        if row is None:
            row = rows[model, operator] = {"model": model, "operator": operator, **_nothing()}
        row["calls"] += 1
        row["tokens_in"] += tokens_in or 0
        row["tokens_out"] += tokens_out or 0
        if cost is None and text:
            row["cost_usd"] = None
        elif cost is not None and row["cost_usd"] is not None:
            row["cost_usd"] += cost
        if replied:
            row["replies"] += 1
            if (before := last.get(iteration)) is not None:
                before["candidates"] -= 1
            row["candidates"] += 1
            last[iteration] = row
    for iterations, name, change in (
        (without_candidate, "candidates", -1),
        (improved_iterations, "improved", 1),
    ):
        for iteration in iterations(reader) if last else ():
            if (row := last.get(iteration)) is not None:
                row[name] += change
    return _with_rates([total for rows_of in _by_model(rows.values()) for total in rows_of])


def model_usage(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Tokens, US dollars and calls over all models; see `_cost` for when the US dollars are None."""
    single = [row for row in rows if row["operator"] is not None]
    costs = [row["cost_usd"] for row in single]
    return {
        "tokens_in": sum(row["tokens_in"] for row in single),
        "tokens_out": sum(row["tokens_out"] for row in single),
        "cost_usd": _cost(single, costs),
        "model_calls": sum(row["calls"] for row in single),
    }


def _cost(rows: Sequence[Mapping[str, Any]], costs: Sequence[float | None]) -> float | None:
    """US dollars: 0 if no model was asked; None if a price is unknown or no paid reply arrived."""
    amounts = [cost for cost in costs if cost is not None]
    received = any(row["replies"] or row["cost_usd"] for row in rows)  # unusable replies cost money too
    return sum(amounts) if not rows or (len(amounts) == len(costs) and received) else None


def notes(reader: Reader) -> list[str]:
    """Recorded notes on the models for readers of the results, such as a parameter that a model refused."""
    return [event.data["text"] for event in reader.events("note")]


def newest_page(reader: Reader) -> str | None:
    """The page of notes that a model wrote last; None without one."""
    pages = list(written_notes(reader).values())
    return page_of(pages[-1]) if pages else None


def _nothing() -> dict[str, Any]:
    return {**dict.fromkeys(_COUNTS, 0), "cost_usd": 0.0}


def _by_model(rows: Iterable[Mapping[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    """Rows of each model, most calls first; a model with several rows starts with their total."""
    models: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        models.setdefault(row["model"], []).append(dict(row))
    for model, found in models.items():
        found.sort(key=lambda row: (-row["calls"], row["operator"]))
        if len(found) > 1:
            costs = [row["cost_usd"] for row in found]
            total = {name: sum(row[name] for row in found) for name in _COUNTS}
            cost = None if None in costs else sum(costs)
            found.insert(0, {"model": model, "operator": None, **total, "cost_usd": cost})
        yield found


def _with_rates(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    whole: dict[str, int] = {}
    for row in rows:  # a model's first row holds all its calls
        whole.setdefault(row["model"], row["calls"])
    for row in rows:
        row["share_percent"] = 100 * row["calls"] / sum(whole.values())
        for rate, part in (("apply_rate_percent", "candidates"), ("improvement_rate_percent", "improved")):
            row[rate] = 100 * row[part] / row["replies"] if row["replies"] else None
    return rows
