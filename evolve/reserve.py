"""What a budget of wall seconds is spent on beside the search: preparation, validation and test."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from ..evaluators.base import Evaluation
from .archive import unique

if TYPE_CHECKING:
    from .campaign import Campaign

OVERHEAD = 0.003
"""Wall seconds of an execution beside its CPU seconds."""
_FRESH = 1.0
"""Wall seconds for which an estimate holds."""


@dataclass(frozen=True, slots=True)
class Reserve:
    """Estimates the wall seconds of the work that follows the last ask.

    Attributes:
        lengths: split → what an evaluation there takes, in training executions of the same program (count).
        champions: elites that are validated at the end (count).
        slots: programs that run at once (count).
        sharing: slots that share the instances of a test (count).
    """

    lengths: Mapping[str, float]
    champions: int
    slots: int
    sharing: int = 1

    def seconds(
        self, validated: Iterable[float], under_way: Iterable[float], tested: Iterable[float]
    ) -> float:
        """Wall seconds of all that is left.

        Args:
            validated: mean seconds of a training execution of each program that is yet to be validated.
            under_way: seconds of each evaluation that is under way.
            tested: mean seconds of a training execution of each program that is to be tested, one after the
                other.
        """
        jobs = [*under_way, *(seconds * self.lengths["valid"] for seconds in validated)]
        side_by_side = max(sum(jobs) / self.slots, max(jobs, default=0.0))
        return side_by_side + sum(tested) * self.lengths["test"] / self.sharing


class Keeper:
    """The seconds that a campaign took to prepare and keeps for its end, estimated anew once a second."""

    def __init__(
        self, reserve: Reserve, prepared: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Takes what estimates the end, the wall seconds of the preparation, and a clock (seconds)."""
        self._reserve = reserve
        self._prepared = prepared
        self._clock = clock
        self._seconds, self._until = 0.0, float("-inf")

    def __call__(self, campaign: Campaign) -> float:
        """Wall seconds of preparation, and of what follows the search if no more is asked for.

        0 without a limit of seconds.
        """
        if campaign.budget.seconds is None:
            return 0.0
        if self._clock() >= self._until:
            self._seconds, self._until = self._estimate(campaign), self._clock() + _FRESH
        return self._prepared + self._seconds

    def room(self, campaign: Campaign) -> bool:
        """Whether a validation would begin at once; without a limit of seconds it may wait in the queue."""
        return campaign.budget.seconds is None or len(campaign.validation.futures) < self._reserve.slots

    def fits(self, campaign: Campaign, evaluation: Evaluation) -> bool:
        """Whether validation and test of a program end within the limit of seconds, if they begin now.

        Args:
            campaign: after its search.
            evaluation: of the program in training.
        """
        limit = campaign.budget.seconds
        if limit is None:
            return True
        return self.end(campaign, evaluation) <= limit - self._prepared - campaign.usage().wall_seconds

    def end(self, campaign: Campaign, evaluation: Evaluation) -> float:
        """Wall seconds of a program's validation and of the tests that follow if it becomes the champion."""
        tests = [per_execution(campaign.search.start.evaluation), per_execution(evaluation)]
        return self._reserve.seconds([per_execution(evaluation)], [], tests)

    def _estimate(self, campaign: Campaign) -> float:
        leaders = unique(campaign.search.archive.elites())[: self._reserve.champions]
        if not leaders:
            return 0.0
        tally, validation = campaign.search.tally, campaign.validation
        best = per_execution(leaders[0].evaluation)
        training = [best * len(leaders[0].evaluation.scores)] * (tally.asked - tally.told)
        validating = [best * self._reserve.lengths["valid"] for _ in validation.futures]
        return self._reserve.seconds(
            [per_execution(e.evaluation) for e in leaders if not validation.has(e.candidate.id)],
            [*training, *validating],
            [per_execution(campaign.search.start.evaluation), best],
        )


def search_seconds_left(campaign: Campaign) -> float | None:
    """Wall seconds until the search ends by its budget, about; None without a limit of seconds."""
    limit = campaign.budget.search_seconds(campaign.kept(campaign))
    return None if limit is None else max(0.0, limit - campaign.usage().wall_seconds)


def lengths(baselines: Iterable[Mapping[str, Evaluation]], counts: Mapping[str, int]) -> dict[str, float]:
    """Split → what an evaluation there takes, in training executions: the baselines' median, else the count.

    Args:
        baselines: split → evaluation of each baseline.
        counts: split → instances.
    """
    every = [by for by in baselines if all(split in by for split in ("train", *counts))]
    found = {}
    for split, count in counts.items():
        ratios = [per_execution(by[split]) / per_execution(by["train"]) for by in every]
        found[split] = count * (median(ratios) if ratios else 1.0)
    return found


def per_execution(evaluation: Evaluation) -> float:
    """Mean wall seconds of an execution, about: CPU seconds and what is beside them."""
    seconds = [score.cpu_seconds for score in evaluation.scores]
    return sum(seconds) / max(1, len(seconds)) + OVERHEAD
