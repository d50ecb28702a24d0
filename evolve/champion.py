"""Chooses the champion on validation, tests it once, and validates the best elites of the time classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import ceil

from ..evaluators.base import Evaluation
from .archive import unique
from .base import Candidate, Elite
from .campaign import Campaign
from .course import Recorded
from .executor import in_parts
from .racing import losses_of
from .reserve import Keeper
from .timing import net_seconds, time_class
from .validation import ChampionSettings

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
    keeper: Keeper | None = None,
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

    archive, store = campaign.search.archive, campaign.ports.store
    elites = [elite for elite in unique(archive.elites()) if quick(elite, elite.evaluation)]
    _validate(campaign, elites[: settings.champions], keeper)
    recorded = Recorded(store.read)
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


def validate_leaders(campaign: Campaign, floor: float, keeper: Keeper | None = None) -> None:
    """Validates the best elite in training of each time class, unless a faster elite is as good.

    Args:
        campaign: after its loop.
        floor: CPU seconds of an execution that does nothing.
        keeper: as for `choose`.
    """
    best, leaders = float("-inf"), dict[int, Elite]()
    for elite in unique(campaign.search.archive.elites()):  # best first
        leaders.setdefault(time_class(net_seconds(elite.evaluation.scores, floor)), elite)
    wanted = []
    for _, elite in sorted(leaders.items()):
        if elite.fitness > best:
            best = elite.fitness
            wanted.append(elite)
    _validate(campaign, wanted, keeper)


def _validate(campaign: Campaign, elites: Sequence[Elite], keeper: Keeper | None) -> None:
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
    for elite in sorted(elites, key=lambda elite: not validation.made(elite.candidate.id)):
        while not validation.made(elite.candidate.id) and not keeper.room(campaign):
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
    campaign.settle()


def evaluate_on_test(campaign: Campaign, candidate: Candidate, *, divided: bool = False) -> Evaluation:
    """Evaluation on the whole test split, from the record if it was made before; counted in the store.

    Args:
        campaign: after its loop.
        candidate: whose program is evaluated.
        divided: whether all slots share the instances.
    """
    store, ports = campaign.ports.store, campaign.ports
    evaluation = store.read.evaluation(candidate.id, "test")
    if evaluation is None:
        program, size = ports.evaluator.program(candidate.files), len(ports.evaluator.instances("test"))
        jobs = in_parts(ports.executor, program, "test", size, divided=divided)
        evaluation = reduce(ports.evaluator.joined, (job.result() for job in jobs))
        store.put_evaluation(candidate.id, evaluation, ports.evaluator.version)
    return evaluation
