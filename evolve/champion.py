"""Chooses the champion on validation and tests it once."""

from __future__ import annotations

from ..evaluators.base import Evaluation
from .archive import unique
from .base import Candidate, Elite
from .campaign import Campaign
from .course import Recorded
from .executor import Job


def choose(campaign: Campaign, elites: int) -> Elite | None:
    """The candidate with the best fitness of all that were validated, the top elites by training included.

    Validation guards against the winner's curse: the best of many training results is too good to be true.
    A candidate that was validated and has lost its cell since, to one that is better in training, is still a
    choice.

    Args:
        campaign: after its loop.
        elites: how many of the top elites are validated (count).

    Returns:
        None when no candidate is valid on every validation instance.
    """
    archive, store = campaign.search.archive, campaign.ports.store
    for elite in unique(archive.elites())[:elites]:
        campaign.validation.start(elite.candidate)
    campaign.settle()
    recorded = Recorded(store.read)
    valid = []
    for id, evaluation in campaign.validation.evaluations.items():
        training = store.read.evaluation(id, "train")
        # An elite may have failed on instances that training took up later.
        if evaluation.fitness is not None and training is not None and training.fitness is not None:
            elite = recorded.elite(id, archive)
            valid.append((evaluation.fitness, len(training.scores), elite.fitness, id, elite))
    return max(valid, key=lambda one: one[:4])[4] if valid else None


def evaluate_on_test(campaign: Campaign, candidate: Candidate) -> Evaluation:
    """Evaluation on the whole test split, from the record if it was made before; counted in the store."""
    store, ports = campaign.ports.store, campaign.ports
    evaluation = store.read.evaluation(candidate.id, "test")
    if evaluation is None:
        program = ports.evaluator.program(candidate.files)
        evaluation = ports.executor.submit(Job(program, "test", whole=True)).result()
        store.put_evaluation(candidate.id, evaluation, ports.evaluator.version)
    return evaluation
