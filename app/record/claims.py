"""The claims of a campaign: its champion against start program and best baseline, paired by instance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ...evaluators.base import Evaluation, Score
from ...evaluators.statistics import paired, wins_ties_losses
from ...evolve.store.reader import BASELINE, Reader
from ...evolve.timing import net_seconds
from .champions import floor_of, time_budget


def claims(reader: Reader, champion: str, loss: Callable[[Score], float | None]) -> list[dict[str, Any]]:
    """Paired comparisons of the champion on the test split, instance by instance.

    Args:
        reader: reader of the run's store; champion and start program have been evaluated on the test split.
        champion: id of the champion.
        loss: normalised loss of a score (ratio); None unless the score is OK.

    Returns:
        One entry against the start program and one against the baseline that is best on validation, within
        the time budget if there is one:
        `against`, `instances` (count), `difference_percent` (mean of champion − other, points of normalised
        loss), `ci95_percent`, `p_value`, `test`, `wins`, `ties`, `losses` (instances, count). A missing valid
        answer counts as an infinite loss in `wins`, `ties` and `losses`, and leaves the mean difference, its
        interval and the p value undefined (None).
    """
    mine = reader.evaluation(champion, "test")
    others = {"start program": reader.evaluation(str(reader.record("start")), "test")}
    limit, floor = time_budget(reader), floor_of(reader)
    known = {
        name: {"valid": evaluation}
        for name in reader.baselines()
        if (evaluation := reader.evaluation(BASELINE + name, "valid"))
        and (limit is None or net_seconds(evaluation.scores, floor) <= limit)
    }
    if (best := best_baseline(known, "valid")) is not None:
        others[f"baseline {best[0]}"] = reader.evaluation(BASELINE + best[0], "test")
    if mine is None:
        return []
    return [_claim(word, mine, other, loss) for word, other in others.items() if other is not None]


def _claim(
    against: str, mine: Evaluation, other: Evaluation, loss: Callable[[Score], float | None]
) -> dict[str, Any]:
    theirs = {score.instance: loss(score) for score in other.scores}
    losses = [(loss(score), theirs.get(score.instance)) for score in mine.scores]
    pairs = [(a, b) for a, b in losses if a is not None and b is not None]
    shared = pairs if len(pairs) == len(losses) else []
    result = paired([100 * a for a, _ in shared], [100 * b for _, b in shared])
    return {
        "against": against,
        "instances": len(losses),
        "difference_percent": result.difference,
        "ci95_percent": None if result.ci95 is None else list(result.ci95),
        "p_value": result.p_value,
        "test": result.test,
        **wins_ties_losses((math.inf if a is None else a, math.inf if b is None else b) for a, b in losses),
    }


def best_baseline(
    by_name: Mapping[str, Mapping[str, Evaluation]], split: str
) -> tuple[str, Evaluation] | None:
    """The baseline with the best fitness on a split; None when none is complete."""
    complete = [
        (by[split].fitness, name)
        for name, by in by_name.items()
        if split in by and by[split].fitness is not None
    ]
    if not complete:
        return None
    name = max(complete, key=lambda pair: (pair[0] or 0.0, pair[1]))[1]
    return name, by_name[name][split]
