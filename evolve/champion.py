"""Chooses the champion on validation and tests it once."""

from __future__ import annotations

from ..evaluators.base import Evaluation
from .archive import unique
from .base import Candidate, Elite
from .campaign import Campaign
from .executor import Job


def choose(campaign: Campaign, elites: int) -> Elite | None:
    """The elite with the best validation fitness among the top elites by training fitness.

    Validation guards against the winner's curse: the best of many training results is too good to be true.

    Args:
        campaign: after its loop.
        elites: how many of the top elites are validated (count).

    Returns:
        None when no elite is valid on every validation instance.
    """
    top = unique(campaign.archive.elites())[:elites]
    for elite in top:
        campaign.validation.start(elite.candidate)
    campaign.settle()
    valid = [e for e in unique(campaign.archive.elites()) if _fitness(campaign, e) is not None]
    return max(valid, key=lambda e: (_fitness(campaign, e) or 0.0, e.fitness), default=None)


def test(campaign: Campaign, candidate: Candidate) -> Evaluation:
    """Evaluation on the whole test split, from the record if it was made before; counted in the store."""
    store, ports = campaign.ports.store, campaign.ports
    found = store.read.evaluation(candidate.id, "test")
    if found is None:
        program = ports.evaluator.program(candidate.files)
        found = ports.executor.submit(Job(program, "test", whole=True)).result()
        store.put_evaluation(candidate.id, found, ports.evaluator.version)
    return found


def _fitness(campaign: Campaign, elite: Elite) -> float | None:
    evaluation = campaign.validation.found.get(elite.candidate.id)
    return None if evaluation is None else evaluation.fitness
