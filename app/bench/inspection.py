"""What a workbench shows: a probe, an instance, two programs compared, a candidate; cleaned texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...evaluators.base import Evaluation, Score
from ...evaluators.judging import NotDrawn
from ...evolve.store.course import LEDGER, Operation, bench_notes
from ...evolve.store.reader import BASELINE
from ...evolve.store.statistics import best_by_instance
from ...evolve.types import Candidate, Origin, Proposal, Rejection
from ...problems.base import Drawable, Instance, canonical_json
from ...prompts.marks import neutral_code, neutral_text
from ...sandbox.base import MAIN_FILE, Execution
from ..errors import USAGE, UserError
from ..formatting import clean
from ..runs.figures import gaps_of, groups, instance_row, paired, plain, times
from .sitting import Sitting, find_candidate

# Texts of programs on their way out of a workbench: data, cleaned and cut like those in prompts.

MESSAGE_CHARACTERS = 2_000
"""Longest message or explanation (characters)."""


def said(text: str | None, most: int = MESSAGE_CHARACTERS) -> str | None:
    """What a program or a problem says, without characters that nobody sees and without marks of chats."""
    return None if text is None else cut(neutral_text(clean(text)), most)


def code(text: str) -> str:
    """A program's text, without marks of chats and of prompts."""
    return neutral_code(clean(text))


def cut(text: str, most: int) -> str:
    """A text of at most `most` characters; says how many were left out."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n… {len(text) - most:,} more characters"


MOST_PROBED = 8
"""Instances of one probe (count)."""
ANSWER_CHARACTERS = 4_000
"""Longest answers that a probe shows in all (characters of JSON)."""
_LEAST_CHARACTERS = 300
"""Of one answer."""
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
    instances = list(dict.fromkeys(instances))
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
    most = max(_LEAST_CHARACTERS, ANSWER_CHARACTERS // len(chosen))  # of one answer; all share the limit
    rows = [_probed(sitting, operation, proposal, one, most) for one in chosen]
    return {"outcome": "ran", "instances": rows}


def _probed(
    sitting: Sitting, operation: Operation, proposal: Proposal, instance: Instance, most: int
) -> dict[str, Any]:
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
        "answer": said(cut(canonical_json(execution.answer), most), most + 60),
    }


def _message(score: Score, execution: Execution) -> str | None:
    """Why there is no valid answer: the program's own lines where it raised, else the verdict."""
    return execution.error or score.message


def instance_list(sitting: Sitting) -> dict[str, Any]:
    """The training instances: those in use, and those that the pool holds beside them."""
    references = sitting.evaluator.references
    used = sitting.campaign.search.pool.prefix
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
    candidate = find_candidate(sitting, program)
    evaluator = sitting.evaluator
    answer = evaluator.answer(evaluator.program(candidate.files), instance, sitting.slot)
    if answer is None:
        return None
    try:
        drawing = evaluator.draw(instance, answer)
    except NotDrawn as error:
        return said(str(error))
    right, top = extent([drawing])
    return said(in_terminal(drawing, *_DRAWING, right, top).plain, 8_000)


# `compare`: two programs paired by instance and group; `read`: a candidate; `note`: a line in the ledger.

NOTE_CHARACTERS = 1_000
"""Longest note (characters)."""
_MOST_ROWS = 200


def compare(sitting: Sitting, first: str, second: str) -> dict[str, Any]:
    """Two programs on the training instances that both answered.

    Args:
        sitting: at the workbench.
        first, second: candidates, `best`, `start`, or baselines by name.

    Raises:
        UserError: one is not there.
    """
    (a, one), (b, other) = (_named(sitting, text) for text in (first, second))
    evaluator = sitting.evaluator
    instances = sitting.instances
    mine = gaps_of(one.scores, evaluator.loss)
    theirs = gaps_of(other.scores, evaluator.loss)
    both = {id: gap for id, gap in mine.items() if id in theirs}
    rows = [
        {
            "instance": id,
            "group": instances[id].stratum,
            "a_gap_percent": gap,
            "b_gap_percent": theirs[id],
            "difference_points": gap - theirs[id],
        }
        for id, gap in sorted(both.items(), key=lambda pair: -abs(pair[1] - theirs[pair[0]]))
    ]
    limit = evaluator.limits.cpu_seconds
    return {
        "a": a,
        "b": b,
        "paired": paired(mine, theirs, instances),
        "groups": groups(both, instances, theirs),
        "time": {"a": times(one.scores, limit), "b": times(other.scores, limit)},
        "instances": rows[:_MOST_ROWS],
    }


def _named(sitting: Sitting, text: str) -> tuple[str, Evaluation]:
    """The name and the training evaluation of a candidate or baseline."""
    read = sitting.store.read
    name = text.removeprefix(BASELINE)
    if name in read.baselines():
        text = BASELINE + name
    else:
        text = find_candidate(sitting, text).id
    evaluation = read.evaluation(text, "train")
    if evaluation is None:
        raise UserError(USAGE, f"{said(text, 80)}: was not evaluated in training")
    return text, evaluation


def read(sitting: Sitting, text: str) -> dict[str, Any]:
    """A candidate: its source, idea and lineage, and how it did in training, losers too.

    Raises:
        UserError: there is none of this name.
    """
    candidate = find_candidate(sitting, text)
    evaluation = sitting.evaluation(candidate.id)
    evaluator = sitting.evaluator
    scores = () if evaluation is None else evaluation.scores
    mine = gaps_of(scores, evaluator.loss)
    return {
        "candidate": candidate.id,
        "iteration": candidate.iteration,
        "origin": candidate.origin.value,
        "operator": said(candidate.operator, 80),
        "parents": list(candidate.parents),
        "lineage": [said(line, 300) for line in sitting.campaign.search.memory.lineage(candidate.id)],
        "idea": said(candidate.idea, 600) or None,
        "files": {path: code(text) for path, text in candidate.files.items()},
        "status": None if evaluation is None else evaluation.status.value,
        "groups": groups(mine, sitting.instances),
        "time": times(scores, evaluator.limits.cpu_seconds),
        "instances": [
            {**row, "message": said(row["message"])}
            for row in (instance_row(score, sitting.instances[score.instance]) for score in scores)
        ],
    }


def candidates(sitting: Sitting) -> dict[str, Any]:
    """All candidates in the order in which they came, with their mean gaps in training."""
    rows = []
    for id in sitting.store.read.candidate_ids():
        candidate = sitting.store.read.candidate(id)
        evaluation = sitting.evaluation(id)
        assert candidate is not None, "its id was just read"
        scores = () if evaluation is None else evaluation.scores
        complete = evaluation is not None and evaluation.fitness is not None
        mine = gaps_of(scores, sitting.evaluator.loss)
        rows.append(
            {
                "candidate": id,
                "iteration": candidate.iteration,
                "operator": said(candidate.operator, 80),
                "status": None if evaluation is None else evaluation.status.value,
                "instances": len(scores),
                "mean_gap_percent": sum(mine.values()) / len(mine) if complete else None,
                "cpu_seconds_max": max((score.cpu_seconds for score in scores), default=None),
                "idea": said(candidate.idea, 200) or None,
            }
        )
    best = sitting.archive.best
    return {"best": None if best is None else best.candidate.id, "candidates": rows}


def note(sitting: Sitting, text: str) -> dict[str, Any]:
    """Writes a line into the ledger, which later sittings and models read.

    Raises:
        UserError: the text is empty or too long.
    """
    words = (said(" ".join(text.split()), NOTE_CHARACTERS + 100) or "").strip()
    if not words or len(words) > NOTE_CHARACTERS:
        got = f"{len(words):,} characters" if words else "no text"
        raise UserError(USAGE, f"note: got {got}, expected 1 to {NOTE_CHARACTERS:,} characters")
    tally = sitting.campaign.search.tally
    sitting.store.event(tally.told, LEDGER, {"text": words, "asked": tally.asked})
    return {"notes": ledger(sitting)}


def ledger(sitting: Sitting) -> list[str]:
    """All notes, oldest first."""
    return [str(said(text, NOTE_CHARACTERS)) for _, text in bench_notes(sitting.store.read, all=True)]
