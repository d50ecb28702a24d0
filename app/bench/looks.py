"""`probe`: a program on a few training instances; `instance`: a training instance whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...evaluators.base import Score
from ...evaluators.judging import NotDrawn
from ...evolve.base import Candidate, Origin, Proposal, Rejection
from ...evolve.store.bests import best_by_instance
from ...evolve.store.operations import Operation
from ...problems.base import Drawable, Instance, canonical_json
from ...sandbox.base import MAIN_FILE, Execution
from ..errors import USAGE, UserError
from ..record.splits import plain
from .sitting import Sitting, find_candidate
from .texts import cut, said

MOST_PROBED = 8
"""Instances of one probe (count)."""
ANSWER_CHARACTERS = 4_000
"""Longest answer that is shown (characters of JSON)."""
PAGE_CHARACTERS = 8_000
"""Length of a page of an instance (characters of JSON)."""
_DRAWING = (100, 24)  # columns and rows


def explained(sitting: Sitting, candidate: Candidate, instance: str) -> str | None:
    """What the problem says of a candidate's answer to a training instance; None if nothing."""
    evaluator = sitting.evaluator
    program = evaluator.program(candidate.files)
    return said(evaluator.probe(program, sitting.instances[instance], sitting.slot)[2]) or None


def training_instance(sitting: Sitting, id: str) -> Instance:
    """A training instance by its whole id.

    Raises:
        UserError: there is none of this id; validation and test do not exist here.
    """
    instance = sitting.instances.get(id)
    if instance is None:
        raise UserError(
            USAGE,
            f"instance {said(id, 80)!r}: no training instance of {sitting.folder.name}",
            f"`gapsmith bench instance {sitting.folder.name}` lists them",
        )
    return instance


def first_instances(sitting: Sitting) -> list[str]:
    """Ids of the training instances in use, in the order of execution: one of each group in turn."""
    return list(sitting.instances)[: sitting.campaign.search.pool.prefix]


def probe(sitting: Sitting, operation: Operation, text: str, instances: Sequence[str] = ()) -> dict[str, Any]:
    """Runs a program on training instances and says all that it did there.

    Args:
        sitting: at the workbench.
        operation: that records it.
        text: source text of the program.
        instances: ids; by default the first training instance.

    Raises:
        UserError: an instance is none of training, or there are too many.
    """
    if len(instances) > MOST_PROBED:
        raise UserError(
            USAGE,
            f"probe: got {len(instances)} instances, expected at most {MOST_PROBED}",
            "submit the program",
        )
    chosen = [training_instance(sitting, id) for id in instances or first_instances(sitting)[:1]]
    proposal = sitting.admission.examined(Proposal({MAIN_FILE: text}, Origin.SUBMIT, "probe"))
    if isinstance(proposal, Rejection):
        operation.refused = True
        return {"outcome": "refused", "reason": proposal.reason.value, "message": said(proposal.excerpt)}
    return {"outcome": "ran", "instances": [_probed(sitting, operation, proposal, one) for one in chosen]}


def _probed(sitting: Sitting, operation: Operation, proposal: Proposal, instance: Instance) -> dict[str, Any]:
    evaluator = sitting.evaluator
    program = evaluator.program(proposal.files)
    execution, score, words = evaluator.probe(program, instance, sitting.slot)
    operation.executions += 1
    operation.cpu_seconds += execution.cpu_seconds
    loss = evaluator.loss(score)
    return {
        "instance": instance.id,
        "group": instance.stratum,
        "status": score.status.value,
        "objective": plain(score.objective),
        "reference": plain(score.reference),
        "reference_kind": score.reference_kind.value,
        "gap_percent": None if loss is None else 100 * loss,
        "cpu_seconds": execution.cpu_seconds,
        "cpu_limit_seconds": evaluator.limits.cpu_seconds,
        "message": said(_message(score, execution)),
        "printed": said(execution.output) or None,
        "explanation": said(words) or None,
        "answer": said(cut(canonical_json(execution.answer), ANSWER_CHARACTERS), ANSWER_CHARACTERS + 60),
    }


def _message(score: Score, execution: Execution) -> str | None:
    """Why there is no valid answer: the program's own lines where it raised, else the verdict."""
    return execution.error or score.message


def instance_list(sitting: Sitting) -> dict[str, Any]:
    """The training instances: those in use, and those that the pool holds beside them."""
    references, used = sitting.evaluator.references, sitting.campaign.search.pool.prefix
    return {
        "in_use": used,
        "instances": [
            {
                "instance": one.id,
                "group": one.stratum,
                "characters": len(canonical_json(dict(one.public))),
                "reference": plain(references[one.id].value),
                "reference_kind": references[one.id].kind.value,
            }
            for one in sitting.instances.values()
        ],
    }


def instance(sitting: Sitting, id: str, page: int = 1, draw: bool = False) -> dict[str, Any]:
    """A training instance: its public and hidden part, its reference, the best answer so far.

    Args:
        sitting: at the workbench.
        id: of the instance.
        page: of the text of the instance (1-based).
        draw: whether the best answer so far is drawn as text, for which its program is run once.

    Raises:
        UserError: no training instance has this id, or the page is none.
    """
    one = training_instance(sitting, id)
    reference = sitting.evaluator.references[id]
    hidden = None if one.hidden is None else dict(one.hidden)
    text = canonical_json({"public": dict(one.public), "hidden": hidden})
    pages = max(1, -(-len(text) // PAGE_CHARACTERS))
    if not 1 <= page <= pages:
        raise UserError(USAGE, f"page {page}: instance {id} has {pages}", f"name one of 1 to {pages}")
    best = best_by_instance(sitting.store.read, id)
    return {
        "instance": id,
        "group": one.stratum,
        "source": said(one.source, 300),
        "scale": plain(one.scale),
        "page": page,
        "pages": pages,
        "characters": len(text),
        "text": said(text[(page - 1) * PAGE_CHARACTERS : page * PAGE_CHARACTERS], PAGE_CHARACTERS + 60),
        "reference": {
            "value": plain(reference.value),
            "kind": reference.kind.value,
            "bound": plain(reference.bound),
            "proof": None if reference.proof is None else reference.proof.value,
            "solver": said(reference.solver, 80),
            "source": said(reference.source, 300),
        },
        "best": None
        if best is None
        else {"program": best.program, "objective": plain(best.objective), "excess": plain(best.excess)},
        "drawing": _drawing(sitting, one, best.program) if draw and best is not None else None,
    }


def _drawing(sitting: Sitting, instance: Instance, program: str) -> str | None:
    """A candidate's answer drawn as text; None where the problem draws nothing, or of a baseline."""
    from ..views.plots.drawing import extent, in_terminal

    if (
        not isinstance(sitting.setup.loaded.problem, Drawable)
        or sitting.store.read.candidate(program) is None
    ):
        return None
    candidate, evaluator = find_candidate(sitting, program), sitting.evaluator
    answer = evaluator.answer(evaluator.program(candidate.files), instance, sitting.slot)
    if answer is None:
        return None
    try:
        drawing = evaluator.draw(instance, answer)
    except NotDrawn as error:
        return said(str(error))
    right, top = extent([drawing])
    return said(in_terminal(drawing, *_DRAWING, right, top).plain, 8_000)
