"""Chooses the champion on validation, tests it once, and reserves the time that this takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass
from functools import reduce
from math import ceil
from statistics import median

from ..evaluators.base import Evaluation, losses_of
from .budget import END_SHARE
from .campaign import Campaign
from .course import RecordedCourse
from .executor import in_parts
from .timing import net_seconds, time_class
from .types import Candidate, Elite, unique
from .validation import ChampionSettings

# What a budget of wall seconds is spent on beside the search: preparation, validation and test.

_MOST_SLOWNESS = 4.0
"""The most that wall seconds are taken for, relative to CPU seconds (ratio)."""
_GRACE = 1.08
"""Share of a budget of wall seconds after which no validation is waited for (ratio)."""
OVERHEAD = 0.003
"""Wall seconds of an execution beside its CPU seconds."""
_TICK = 0.2
"""Wall seconds between two reports of a test."""
_FRESH = 1.0
"""Wall seconds for which an estimate holds."""


@dataclass(frozen=True, slots=True)
class ReserveEstimate:
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


class TimeReserve:
    """The seconds that a campaign took to prepare and keeps for its end, estimated anew once a second."""

    def __init__(
        self, reserve: ReserveEstimate, prepared: float = 0.0, clock: Callable[[], float] = time.monotonic
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
        limit = campaign.budget.seconds
        if limit is None:
            return 0.0
        if self._clock() >= self._until:
            self._seconds, self._until = self._estimate(campaign), self._clock() + _FRESH
        return self._prepared + min(self._seconds, END_SHARE * max(0.0, limit - self._prepared))

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
        return self._slowness(campaign) * self._reserve.seconds([per_execution(evaluation)], [], tests)

    def over(self, campaign: Campaign) -> bool:
        """Whether the time for validations is over: what is left goes to the tests."""
        limit = campaign.budget.seconds
        leaders = campaign.search.archive.elites()
        if limit is None or not leaders:
            return False
        tests = [per_execution(e) for e in (campaign.search.start.evaluation, leaders[0].evaluation)]
        tested = self._slowness(campaign) * self._reserve.seconds([], [], tests)
        return self._prepared + campaign.usage().wall_seconds + tested > _GRACE * limit

    def _slowness(self, campaign: Campaign) -> float:
        """Wall seconds of a slot relative to what its executions use: other work may share the machine."""
        usage = campaign.usage()
        used = usage.cpu_seconds + OVERHEAD * usage.executions
        if used < _FRESH:
            return 1.0
        return min(_MOST_SLOWNESS, max(1.0, usage.wall_seconds * self._reserve.slots / used))

    def _estimate(self, campaign: Campaign) -> float:
        leaders = unique(campaign.search.archive.elites())[: self._reserve.champions]
        if not leaders:
            return 0.0
        tally = campaign.search.tally
        validation = campaign.validation
        best = per_execution(leaders[0].evaluation)
        training = [best * len(leaders[0].evaluation.scores)] * (tally.asked - tally.told)
        validating = [best * self._reserve.lengths["valid"] for _ in validation.futures]
        return self._slowness(campaign) * self._reserve.seconds(
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


Surpasses = Callable[[Sequence[float], Sequence[float]], bool]
"""Whether a candidate (second: its losses) is better than a founder (first: its losses) beyond noise."""
ROOM = 0.8
"""Share of the CPU limit that a champion's slowest training or validation executions may take (ratio)."""
SPIKES = 0.05
"""Share of the executions that may take longer: a busy machine slows single ones down (ratio)."""


def slowest(evaluation: Evaluation) -> float:
    """CPU seconds of the slowest execution but for single spikes."""
    seconds = sorted(score.cpu_seconds for score in evaluation.scores)
    return seconds[ceil((1 - SPIKES) * len(seconds)) - 1] if seconds else 0.0


def choose(
    campaign: Campaign,
    settings: ChampionSettings,
    floor: float,
    surpasses: Surpasses,
    keeper: TimeReserve | None = None,
    cpu_limit: float | None = None,
) -> Elite | None:
    """The best on validation, if it is better there than the best founder beyond noise, else that founder.

    Validation guards against the winner's curse: the best of many training results is too good to be true,
    and the best of ten validated ones still is. So a candidate that leads by chance gives way to the best
    program that the campaign began with.
    A candidate that was validated and has lost its cell since, to one that is better in training, is still a
    choice. One that came close to its CPU limit is none, unless it is a founder: it would pass the limit on
    some new instance, or on a machine a little slower.

    Args:
        campaign: after its loop.
        settings: how many of the top elites are validated, and how slow a champion may be.
        floor: CPU seconds of an execution that does nothing.
        surpasses: whether losses on validation are better than a founder's beyond noise.
        keeper: knows the time that is left; None validates all but what the record left out.
        cpu_limit: CPU seconds that an execution may take; None without a limit.

    Returns:
        None when no candidate is valid on every validation instance within the time budget.
    """
    limit = settings.time_budget

    def quick(elite: Elite, evaluation: Evaluation) -> bool:
        if limit is not None and net_seconds(evaluation.scores, floor) > limit:
            return False
        within = cpu_limit is None or slowest(evaluation) <= ROOM * cpu_limit
        return within or not elite.candidate.iteration

    archive = campaign.search.archive
    store = campaign.ports.store
    elites = [elite for elite in unique(archive.elites()) if quick(elite, elite.evaluation)]
    _validate(campaign, elites[: settings.champions], keeper)
    recorded = RecordedCourse(store.read)
    valid = []
    for id, evaluation in campaign.validation.evaluations.items():
        training = store.read.evaluation(id, "train")
        # An elite may have failed on instances that training took up later.
        if evaluation.fitness is None or training is None or training.fitness is None:
            continue
        elite = recorded.elite(id, archive)
        if quick(elite, evaluation):
            valid.append((evaluation.fitness, len(training.scores), elite.fitness, id, elite))
    ranked = [one[4] for one in sorted(valid, key=lambda one: one[:4], reverse=True)]
    return _beyond_noise(campaign, ranked, surpasses)


def _beyond_noise(campaign: Campaign, ranked: Sequence[Elite], surpasses: Surpasses) -> Elite | None:
    """The first, best on validation first, that is the best founder or better beyond noise."""
    founder = next((elite for elite in ranked if not elite.candidate.iteration), None)
    if founder is None:
        return ranked[0] if ranked else None
    losses = _losses(campaign, founder)
    return next(elite for elite in ranked if elite is founder or surpasses(losses, _losses(campaign, elite)))


def _losses(campaign: Campaign, elite: Elite) -> list[float]:
    """Losses (ratios) of a valid elite on the validation instances, in the order of their ids."""
    evaluation = campaign.validation.evaluations[elite.candidate.id]
    return [loss for _, loss in sorted(losses_of(evaluation, campaign.ports.evaluator.loss).items())]


def validate_leaders(campaign: Campaign, floor: float, keeper: TimeReserve | None = None) -> None:
    """Validates the best elite in training of each time class, unless a faster elite is as good.

    Args:
        campaign: after its loop.
        floor: CPU seconds of an execution that does nothing.
        keeper: as for `choose`.
    """
    best = float("-inf")
    leaders = dict[int, Elite]()
    for elite in unique(campaign.search.archive.elites()):  # best first
        leaders.setdefault(time_class(net_seconds(elite.evaluation.scores, floor)), elite)
    wanted = []
    for _, elite in sorted(leaders.items()):
        if elite.fitness > best:
            best = elite.fitness
            wanted.append(elite)
    _validate(campaign, wanted, keeper)


def _validate(campaign: Campaign, elites: Sequence[Elite], keeper: TimeReserve | None) -> None:
    """Validates elites in their order, each as soon as it has a slot, and leaves out those without time.

    One that the search found is validated in any case where it is better in training than the founders are
    and there is no other: the one whose validation and test take the shortest time.
    """
    validation = campaign.validation
    if keeper is None:
        for elite in elites:
            validation.start(elite.candidate)
        campaign.settle()
        return
    for number, elite in enumerate(sorted(elites, key=lambda one: not validation.made(one.candidate.id))):
        campaign.report("validation", number, len(elites))
        while not validation.made(elite.candidate.id) and not keeper.room(campaign):
            if keeper.over(campaign):
                break
            campaign.wait()
        if validation.made(elite.candidate.id) or keeper.fits(campaign, elite.evaluation):
            validation.take_up(elite.candidate)
        else:
            validation.leave_out(elite.candidate)
    validated = [elite for elite in elites if validation.has(elite.candidate.id)]
    if not any(elite.candidate.iteration for elite in validated):
        best = max((elite.fitness for elite in validated), default=float("-inf"))
        better = [elite for elite in elites if elite.fitness > best]
        for elite in sorted(better, key=lambda elite: keeper.end(campaign, elite.evaluation))[:1]:
            validation.take_up(elite.candidate)
    while validation.futures:
        campaign.report("validation", max(0, len(elites) - len(validation.futures)), len(elites))
        if keeper.over(campaign):
            validation.abandon()
        else:
            campaign.wait()


def evaluate_on_test(campaign: Campaign, candidate: Candidate, *, divided: bool = False) -> Evaluation:
    """Evaluation on the whole test split, from the record if it was made before; counted in the store.

    Args:
        campaign: after its loop.
        candidate: whose program is evaluated.
        divided: whether all slots share the instances.
    """
    store = campaign.ports.store
    ports = campaign.ports
    evaluation = store.read.evaluation(candidate.id, "test")
    if evaluation is None:
        program = ports.evaluator.program(candidate.files)
        size = len(ports.evaluator.instances("test"))
        jobs = in_parts(ports.executor, program, "test", size, divided=divided)
        while not all(job.done() for job in jobs):
            campaign.report("test", sum(job.done() for job in jobs), len(jobs))
            wait([job for job in jobs if not job.done()], timeout=_TICK, return_when=FIRST_COMPLETED)
        evaluation = reduce(ports.evaluator.joined, (job.result() for job in jobs))
        store.put_evaluation(candidate.id, evaluation, ports.evaluator.version)
    return evaluation
