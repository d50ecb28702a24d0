"""What a stored run brings along: its configuration, and its elites as start programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..evolve.store.reader import Reader
from .config import Config, parse, read
from .errors import INVALID, USAGE, UserError
from .runs import CONFIG_NAME

_ELITES = 5


def stored_config(folder: Path, totals: Mapping[str, Any], workers: int | None) -> tuple[Config, str | None]:
    """A run's configuration with new budget totals, and why it ended last (None if it never did).

    Raises:
        UserError: the run has no configuration, its `campaign.toml` was edited, or a total is below what is
            done.
    """
    reader = Reader.open(folder)
    try:
        document, reason = reader.record("config"), reader.record("stop_reason")
        done = {
            "iterations": reader.value("SELECT count(*) FROM iterations"),
            "evaluations": reader.value("SELECT count(*) FROM iterations WHERE candidate IS NOT NULL"),
        }
    finally:
        reader.close()
    if document is None:
        raise UserError(
            INVALID, f"{folder.name}: no configuration in the store, expected a run that has begun"
        )
    refuse_edits(folder, document)
    _refuse_less(folder, done, totals)
    changes = {key: value for key, value in totals.items() if value is not None}
    if changes:
        document["budget"] = {**document["budget"], **changes}
    if workers is not None:
        document["run"] = {**document["run"], "workers": workers}
    return parse(document, folder.name), reason


def _refuse_less(folder: Path, done: Mapping[str, int], totals: Mapping[str, Any]) -> None:
    """Refuses a total below what is there: it would end the campaign and look at the test split at once."""
    for key, count in done.items():
        if (total := totals.get(key)) is not None and total < count:
            raise UserError(
                USAGE,
                f"{folder.name}: --{key} {total} is a total, expected at least the {count} that are begun",
                f"for {total} more: --{key} {count + total}",
            )


def refuse_edits(folder: Path, stored: Mapping[str, Any]) -> None:
    """Refuses a `campaign.toml` that says something else than the store.

    Raises:
        UserError: names the first key that differs.
    """
    path = folder / CONFIG_NAME
    if not path.exists():
        return
    written = parse(read(path), str(path)).model_dump(mode="json")
    for section, table in stored.items():
        if isinstance(table, dict):
            keys = [
                key for key in {**table, **written[section]} if table.get(key) != written[section].get(key)
            ]
        else:
            keys = [] if table == written[section] else ["*"]
        if keys:
            raise UserError(
                INVALID,
                f"{path} [{section}] {keys[0]}: edited after the run began; the store counts",
                "give new totals as options of `gapsmith resume`, or start a new run from the file",
            )


def elites_of(folder: Path) -> dict[str, dict[str, str]]:
    """The best candidates of a run as start programs, best first.

    Raises:
        UserError: the run has no feasible candidate.
    """
    reader = Reader.open(folder)
    try:
        best = [id for id, _ in reader.best("valid") or reader.best("train")][:_ELITES]
        found = [candidate for id in best if (candidate := reader.candidate(id)) is not None]
    finally:
        reader.close()
    if not found:
        raise UserError(INVALID, f"{folder.name}: no feasible candidate to start from")
    return {candidate.id: dict(candidate.files) for candidate in found}
