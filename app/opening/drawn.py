"""Draws the answers of a champion and of the best baseline to one instance, for report and papers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...evaluators.judging import NotDrawn
from ...evolve.store.store import Store
from ...problems.base import Drawable, Drawing, Instance
from ..record.drawings import KEY, MOST_SHAPES, UNFIT, Kept, decoded, encode, size
from ..record.record import RunRecord, open_record
from .again import answers
from .setup import Setup


def keep_drawing(folder: Path, setup: Setup, store: Store) -> None:
    """Runs champion and best baseline once more on one instance; keeps the drawings of their answers.

    A run without a champion keeps no drawing, nor does one whose problem cannot draw; a drawing of more than
    `MOST_SHAPES` shapes is not kept either.
    An exception in the problem's `draw` becomes an event of the run; the campaign's result then has no
    picture.
    """
    if not isinstance(setup.loaded.problem, Drawable) or store.read.record("champion") is None:
        return
    try:
        document = _drawn(folder, setup)
    except NotDrawn as error:
        store.event(0, "fault", {"operator": "draw", "error": str(error)})
        return
    if document is not None:
        store.set(KEY, document)


def _drawn(folder: Path, setup: Setup) -> dict[str, Any] | None:
    """The drawings as a document of the store; None without drawings, or with too many shapes.

    Raises:
        NotDrawn: the problem's `draw` failed, or drew what no run keeps.
    """
    with open_record(folder) as record:
        instance = typical(record, setup)
        if instance is None:
            return None
        programs = list(dict.fromkeys((record.best, record.rival)))
        results = answers(record, setup, [program for program in programs if program is not None], instance)
    drawings: dict[str, Drawing] = {}
    for program, answer in results.items():
        drawing = setup.evaluator.draw(instance, answer)
        if drawing not in drawings.values():
            drawings[program] = drawing
    if not drawings or size(drawings) > MOST_SHAPES:
        return None
    document = encode(Kept(instance.id, drawings))
    if decoded(document) is None:
        raise NotDrawn(UNFIT)
    return document


def typical(record: RunRecord, setup: Setup) -> Instance | None:
    """The instance on which the champion's loss is the median of its test (else validation) instances."""
    best = record.best
    for split in ("test", "valid"):
        evaluation = None if best is None else record.evaluation(best, split)
        if evaluation is not None and evaluation.scores:
            losses = [(setup.evaluator.loss(score) or 0, score.instance) for score in evaluation.scores]
            return record.instances[sorted(losses)[(len(losses) - 1) // 2][1]]
    return None
