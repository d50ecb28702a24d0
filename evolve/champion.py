"""Chooses the champion on validation and tests it once."""

from __future__ import annotations

from ..evaluators.base import Evaluation
from .archive import unique
from .base import Candidate, Elite
from .campaign import Campaign
from .executor import Job


def choose(campaign: Campaign, elites: int) -> Elite | None:
    """The candidate with the best fitness of all that were validated, the top elites by training included.

    Validation guards against the winner's curse: the best of many training results is too good to be true.
    What was validated and lost its cell since, to a candidate that is better in training, is still a choice.

    Args:
        campaign: after its loop.
        elites: how many of the top elites are validated (count).

    Returns:
        None when no candidate is valid on every validation instance.
    """
    top = unique(campaign.archive.elites())[:elites]
    for elite in top:
        campaign.validation.start(elite.candidate)
    campaign.settle()
    found = campaign.validation.found.items()
    valid = [(e.fitness, campaign.elite(id)) for id, e in found if e.fitness is not None]
    best = max(valid, key=lambda one: (one[0], one[1].fitness, one[1].candidate.id), default=None)
    return None if best is None else best[1]


def test(campaign: Campaign, candidate: Candidate) -> Evaluation:
    """Evaluation on the whole test split, from the record if it was made before; counted in the store."""
    store, ports = campaign.ports.store, campaign.ports
    found = store.read.evaluation(candidate.id, "test")
    if found is None:
        program = ports.evaluator.program(candidate.files)
        found = ports.executor.submit(Job(program, "test", whole=True)).result()
        store.put_evaluation(candidate.id, found, ports.evaluator.version)
    return found
