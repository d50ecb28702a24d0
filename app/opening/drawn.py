"""Draws the answers of a champion and of the best baseline to one instance, for report and papers."""

from __future__ import annotations

from pathlib import Path

from ...evaluators.judging import NotDrawn
from ...evolve.store.store import Store
from ...problems.base import Drawable, Instance
from ..record.drawings import KEY, MOST_SHAPES, UNFIT, Kept, decoded, encode, size
from ..record.record import RunRecord, open_record
from .again import answers
from .setup import Setup


def keep_drawing(folder: Path, setup: Setup, store: Store) -> None:
    """Runs both programs once more on one instance and keeps the drawings of their answers with the run.

    Nothing is kept for a problem that cannot draw, without a champion, and beyond `MOST_SHAPES` shapes. What
    the problem's `draw` raises is an event of the run: the campaign's result stands without a picture.
    """
    if not isinstance(setup.loaded.problem, Drawable) or store.read.record("champion") is None:
        return
    with open_record(folder) as record:
        instance = typical(record, setup)
        if instance is None:
            return
        programs = list(dict.fromkeys((record.best, record.best_baseline(instance.split))))
        made = answers(record, setup, [program for program in programs if program is not None], instance)
    try:
        drawings = {program: setup.evaluator.draw(instance, answer) for program, answer in made.items()}
    except NotDrawn as error:
        store.event(0, "fault", {"operator": "draw", "error": str(error)})
        return
    first = list(drawings.values())[:1]
    if first * len(drawings) == list(drawings.values()):  # the same picture twice
        drawings = dict(list(drawings.items())[:1])
    if not drawings or size(drawings) > MOST_SHAPES:
        return
    document = encode(Kept(instance.id, drawings))
    if decoded(document) is None:
        store.event(0, "fault", {"operator": "draw", "error": UNFIT})
        return
    store.set(KEY, document)


def typical(record: RunRecord, setup: Setup) -> Instance | None:
    """The instance on which the champion's loss is the median of its test (else validation) instances."""
    best = record.best
    for split in ("test", "valid"):
        evaluation = None if best is None else record.evaluation(best, split)
        if evaluation is not None and evaluation.scores:
            losses = [(setup.evaluator.loss(score) or 0, score.instance) for score in evaluation.scores]
            return record.instances[sorted(losses)[(len(losses) - 1) // 2][1]]
    return None
