"""The elite with the smallest loss on each stratum and on each training instance."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...evolve.archive import unique
from ...evolve.racing import losses_of
from ..errors import NO_CANDIDATE, UserError
from ..numbers import percent
from ..record.record import SHORT, RunRecord
from ..words import clean, count
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console


def winners(record: RunRecord) -> dict[str, Any]:
    """The best elite of each stratum and instance beside the best candidate, on the training split.

    Losses are in percent of max(|reference|, scale), so that instances with reference 0 count. Ties go to the
    best candidate, then to the elite that is better overall, so another winner means a smaller loss.

    Raises:
        UserError: no candidate is feasible.
    """
    archive, best = record.archive, record.best
    if archive is None or best is None:
        raise UserError(
            NO_CANDIDATE,
            f"{record.name}: no feasible candidate yet",
            f"see why with `gapsmith show {shlex.quote(record.name)}`",
        )
    elites = [elite.candidate.id for elite in unique(archive.elites())]
    losses = {
        id: found
        for id in dict.fromkeys([best, *elites])
        if (found := _losses(record, id, archive.space.loss))
    }
    strata: dict[str, list[str]] = {}
    for id in losses[best]:
        strata.setdefault(record.instances[id].stratum, []).append(id)
    instances = [
        {"instance": id, "stratum": record.instances[id].stratum, **_best(losses, best, [id])}
        for id in losses[best]
    ]
    return {
        "run": record.name,
        "split": "train",
        "best": best,
        "elites": len(elites),
        "loss_percent": _mean(losses[best], list(losses[best])),
        "best_of_all_loss_percent": sum(row["loss_percent"] for row in instances) / len(instances),
        "strata": [
            {
                "stratum": name,
                "instances": len(ids),
                **_best(losses, best, ids),
                "better_on": sum(row["candidate"] != best for row in instances if row["stratum"] == name),
            }
            for name, ids in sorted(strata.items())
        ],
        "instances": instances,
    }


def _losses(record: RunRecord, id: str, loss: Any) -> dict[str, float]:
    """Instance → loss in percent; empty for a candidate without a complete training evaluation."""
    evaluation = record.evaluation(id, "train")
    if evaluation is None or evaluation.fitness is None:
        return {}
    return {instance: 100 * value for instance, value in losses_of(evaluation, loss).items()}


def _best(losses: Mapping[str, Mapping[str, float]], best: str, ids: Sequence[str]) -> dict[str, Any]:
    """The candidate with the smallest mean loss on some instances; of equals, the first in `losses`."""
    means = {id: _mean(found, ids) for id, found in losses.items()}
    winner = min(means, key=lambda id: means[id])
    return {"candidate": winner, "loss_percent": means[winner], "best_loss_percent": means[best]}


def _mean(found: Mapping[str, float], ids: Sequence[str]) -> float:
    return sum(found[id] for id in ids) / len(ids)


def print_winners(console: Console, found: Mapping[str, Any]) -> None:
    """Prints the best elite of each stratum, one row for each."""
    table = new_table(
        f"best elite of each stratum: {count(found['elites'], 'elite')}, training loss by stratum"
    )
    table.add_column("stratum", overflow="fold")
    table.add_column("best elite", no_wrap=True)
    for column in ("its loss", "champion's", "others better on"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in found["strata"]:
        own = row["candidate"] == found["best"]
        table.add_row(
            row["stratum"],
            "champion" if own else row["candidate"][:SHORT],
            percent(row["loss_percent"]),
            percent(row["best_loss_percent"]),
            f"{row['better_on']} of {row['instances']}",
            style=None if own else "bold",
        )
    console.print(table, soft_wrap=False)
    console.print(clean(verdict(found)), markup=False, soft_wrap=False)


def verdict(found: Mapping[str, Any]) -> str:
    """The loss if each instance had its best elite, beside the champion's loss, in words."""
    other = {row["candidate"] for row in found["instances"]} - {found["best"]}
    return (
        f"loss: percent of max(|reference|, scale). Champion {found['best'][:SHORT]} alone: "
        f"{percent(found['loss_percent'])}; with {count(len(other), 'other elite')}, always the best for the "
        f"instance: {percent(found['best_of_all_loss_percent'])}"
    )
