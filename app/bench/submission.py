"""`submit`: a program becomes a candidate and races; apart, as the search's own texts come otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...evaluators.base import Evaluation, ScoreStatus
from ...evolve.campaign import Campaign
from ...evolve.champion import ROOM, slowest
from ...evolve.course import Submission
from ...evolve.store.course import Operation
from ...evolve.types import Candidate, Origin, Proposal, Rejection
from ...problems.base import Instance
from ...sandbox.base import MAIN_FILE
from ..errors import USAGE, UserError
from ..runs.figures import gaps_of, groups, paired, times
from .budget import budget_document, refuse_spent
from .inspection import explained, said
from .sitting import Sitting, find_candidate

WORST = 2
"""Instances that are explained: those on which the program loses most (count)."""
IDEA_CHARACTERS = 600
"""Longest idea of a submission (characters)."""
OPERATOR = "submit"


def submit(
    sitting: Sitting, operation: Operation, text: str, idea: str = "", parent: str | None = None
) -> dict[str, Any]:
    """Evaluates a program in training and says how it did.

    Args:
        sitting: at the workbench.
        operation: that records it.
        text: source text of the program.
        idea: what it changes and why, for whoever reads the run later.
        parent: the candidate that it comes from; by default the best one so far.

    Raises:
        UserError: the parent is none of this run, or the budget is spent.
    """
    campaign = sitting.campaign
    best = sitting.archive.best
    assert best is not None, "a workbench begins with a start program"
    first = find_candidate(sitting, parent) if parent is not None else best.candidate
    idea = (said(" ".join(idea.split()), IDEA_CHARACTERS) or "").strip()
    proposal = sitting.admission.examined(Proposal({MAIN_FILE: text}, Origin.SUBMIT, OPERATOR, idea=idea))
    if isinstance(proposal, Rejection):
        operation.refused = True
        return {
            "outcome": "refused",
            "reason": proposal.reason.value,
            "message": said(proposal.excerpt),
            "budget": budget_document(sitting),
        }
    assert proposal.examined is not None, "it was just examined"
    if (known := campaign.search.memory.candidates.get(proposal.examined.id)) is not None:
        operation.refused = True
        return {
            **document(sitting, operation, known, first.id, best.candidate.id, explain=False),
            "outcome": "duplicate",
            "message": f"the same program as candidate {known.id}, which was evaluated before",
        }
    refuse_spent(sitting)
    flight = campaign.take(Submission(first.id, proposal))
    if flight is None or not isinstance(flight.made, Candidate):
        hint = f"end it: `gapsmith bench finish {sitting.folder.name}`"
        raise UserError(USAGE, f"{sitting.folder.name}: {_stopped(campaign)}", hint)
    operation.iteration = flight.number
    return document(sitting, operation, flight.made, first.id, best.candidate.id)


def _stopped(campaign: Campaign) -> str:
    return f"the budget is spent ({campaign.stopped})" if campaign.stopped else "the program was not taken"


def document(
    sitting: Sitting, operation: Operation, candidate: Candidate, parent: str, best: str, explain: bool = True
) -> dict[str, Any]:
    """What is told of a candidate: outcome, differences, groups, times, the worst instances."""
    evaluation = sitting.evaluation(candidate.id)
    evaluator = sitting.evaluator
    assert evaluation is not None, "the iteration was told"
    instances = sitting.instances
    scores = evaluation.scores
    mine = gaps_of(scores, evaluator.loss)
    others = {
        id: gaps_of(other.scores, evaluator.loss)
        for id in {parent, best}
        if (other := sitting.evaluation(id)) is not None
    }
    leader = sitting.archive.best
    failed = [score for score in scores if score.status is not ScoreStatus.OK]
    worst = sorted(mine, key=lambda id: -mine[id])[:WORST]
    found: dict[str, Any] = {
        "candidate": candidate.id,
        "iteration": candidate.iteration,
        "outcome": outcome(sitting, candidate, evaluation.status.value),
        "message": None if failed else _near_limit(evaluation, evaluator.limits.cpu_seconds),
        "new_best": leader is not None and leader.candidate.id == candidate.id,
        "instances": len(scores),
        "training_instances": sitting.campaign.search.pool.prefix,
        "mean_gap_percent": None if failed else sum(mine.values()) / len(mine),
        "parent": _against(parent, mine, others, instances),
        "best": _against(best, mine, others, instances),
        "groups": groups(mine, instances, others.get(best)),
        "time": times(scores, evaluator.limits.cpu_seconds),
        "failures": [
            {"instance": s.instance, "status": s.status.value, "message": said(s.message)} for s in failed
        ],
        "worst": [
            _instance(sitting, operation, candidate, id, mine[id], instances[id].stratum, explain)
            for id in worst
        ],
    }
    return {**found, "budget": budget_document(sitting, operation.executions)}


def _near_limit(evaluation: Evaluation, limit: float) -> str | None:
    """Says of a program that it is too close to its CPU limit to become the champion; None if it is not."""
    if slowest(evaluation) <= ROOM * limit:
        return None
    return (
        f"takes {slowest(evaluation):.3g} s of CPU time: one above {ROOM * limit:.3g} s, {ROOM:.0%} of the "
        "limit, cannot become the champion, as it would pass the limit on a slower machine"
    )


def outcome(sitting: Sitting, candidate: Candidate, status: str) -> str:
    """How a candidate ended: `kept` in the archive, `behind` its cell's elite, `stopped` as clearly worse, or
    `failed`.
    """
    if status != "complete":
        return status
    kept = any(elite.candidate.id == candidate.id for elite in sitting.archive.elites())
    return "kept" if kept else "behind"


def _against(
    id: str, mine: dict[str, float], others: dict[str, dict[str, float]], instances: Mapping[str, Instance]
) -> dict[str, Any]:
    return {"candidate": id, "paired": paired(mine, others[id], instances) if id in others else None}


def _instance(
    sitting: Sitting,
    operation: Operation,
    candidate: Candidate,
    id: str,
    gap: float,
    group: str,
    explain: bool,
) -> dict[str, Any]:
    row: dict[str, Any] = {"instance": id, "group": group, "gap_percent": gap}
    if explain and sitting.evaluator.explains:
        operation.executions += 1
        row["explanation"] = explained(sitting, candidate, id)
    return row
