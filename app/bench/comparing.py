"""`compare`: two programs paired by instance and group; `read`: a candidate; `note`: a line in the ledger."""

from __future__ import annotations

from typing import Any

from ...evaluators.base import Evaluation
from ...evolve.store.reader import BASELINE
from ..errors import USAGE, UserError
from ..record.groups import gaps_of, groups, paired, times
from ..record.splits import instance_row
from .sitting import Sitting, find_candidate
from .texts import code, said

NOTE_CHARACTERS = 1_000
"""Longest note (characters)."""
LEDGER = "ledger"
"""Kind of the events that are notes of a workbench."""
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
    evaluator, instances = sitting.evaluator, sitting.instances
    mine, theirs = gaps_of(one.scores, evaluator.loss), gaps_of(other.scores, evaluator.loss)
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
        "paired": paired(mine, theirs),
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
    evaluation, evaluator = sitting.evaluation(candidate.id), sitting.evaluator
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
        candidate, evaluation = sitting.store.read.candidate(id), sitting.evaluation(id)
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
    sitting.store.event(sitting.campaign.search.tally.told, LEDGER, {"text": words})
    return {"notes": ledger(sitting)}


def ledger(sitting: Sitting) -> list[str]:
    """All notes, oldest first."""
    return [
        str(said(str(e.data.get("text", "")), NOTE_CHARACTERS)) for e in sitting.store.read.events(LEDGER)
    ]
