"""What each model did with each operator: calls, replies that became candidates, improvements, cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..evolve.store.reader import Reader

_OUTCOMES = """
SELECT i.iteration, i.candidate IS NOT NULL AS applied, coalesce(t.fitness > p.fitness, 0) AS improved
FROM iterations i
LEFT JOIN evaluations t ON t.program = i.candidate AND t.split = 'train'
LEFT JOIN evaluations p ON p.program = json_extract(i.parents, '$[0]') AND p.split = 'train'
WHERE i.told IS NOT NULL
"""
_CALLS = """
SELECT model, operator, iteration, round, state, tokens_in, tokens_out, cost_usd, text IS NOT NULL AS replied,
  state = 'replied' AND id = (SELECT max(id) FROM calls d WHERE d.iteration = c.iteration AND
  d.state = 'replied') AS last
FROM calls c ORDER BY id
"""
_COUNTS = ("calls", "replies", "candidates", "improved", "tokens_in", "tokens_out")


def model_figures(reader: Reader) -> list[dict[str, Any]]:
    """One row for each model and operator; where a model has several, first one for all (`operator` None).

    A row holds `model`, `operator`, `calls` (retries included), `share_percent` of all calls, `replies`
    (usable ones), `candidates` (replies that became one), `apply_rate_percent` (candidates / replies),
    `improved` (candidates better in training than their first parent), `improvement_rate_percent` (improved /
    replies), `tokens_in`, `tokens_out`, and `cost_usd`, None when a price is not known. What became of an
    iteration counts for its last reply: after a repair that is the repair's. Rates without a reply are None.
    """
    outcomes = {row["iteration"]: row for row in reader.rows(_OUTCOMES)}
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for call in reader.rows(_CALLS):
        key = call["model"], call["operator"]
        row = rows.setdefault(key, {"model": key[0], "operator": key[1], **_nothing()})
        row["calls"] += 1
        row["tokens_in"] += call["tokens_in"] or 0
        row["tokens_out"] += call["tokens_out"] or 0
        if call["cost_usd"] is not None and row["cost_usd"] is not None:
            row["cost_usd"] += call["cost_usd"]
        elif call["replied"]:
            row["cost_usd"] = None
        row["replies"] += call["state"] == "replied"
        outcome = outcomes.get(call["iteration"])
        if call["last"] and outcome is not None:
            row["candidates"] += outcome["applied"]
            row["improved"] += outcome["improved"]
    return _with_rates([total for rows_of in _by_model(rows.values()) for total in rows_of])


def notes(reader: Reader) -> list[str]:
    """What whoever reads the results must know of the models, such as parameters that one refused."""
    return [event.data["text"] for event in reader.events("note")]


def _nothing() -> dict[str, Any]:
    return {**dict.fromkeys(_COUNTS, 0), "cost_usd": 0.0}


def _by_model(rows: Iterable[Mapping[str, Any]]) -> Iterable[list[dict[str, Any]]]:
    """Rows of each model with the most calls first, after the model's total if there are several."""
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
