"""Figures of a candidate or baseline on the three splits, under the field names of the JSON contract."""

from __future__ import annotations

from typing import Any

from ...evaluators.base import Evaluation, Score
from ...evaluators.figures import Figures, of_evaluation
from ...evolve.store.reader import Reader
from ...problems.base import SPLITS, Instance, Number


def candidate_summary(reader: Reader, id: str) -> dict[str, Any]:
    """Summary of one candidate."""
    candidate = reader.candidate(id)
    return {
        "candidate": id,
        "origin": None if candidate is None else candidate.origin.value,
        "iteration": None if candidate is None else candidate.iteration,
        "splits": splits(reader, id),
    }


def splits(reader: Reader, program: str) -> dict[str, Any]:
    """Split → figures of a candidate or of a baseline (`baseline/NAME`); None for a split without them."""
    evaluations = {split: reader.evaluation(program, split) for split in SPLITS}
    return {
        split: None if evaluation is None else figures_of(reader, evaluation).as_json()
        for split, evaluation in evaluations.items()
    }


def figures_of(reader: Reader, evaluation: Evaluation) -> Figures:
    """Figures of a recorded evaluation."""
    return of_evaluation(evaluation, reader.instances())


def instance_row(score: Score, instance: Instance) -> dict[str, Any]:
    """Figures of one execution."""
    return {
        "instance": score.instance,
        "stratum": instance.stratum,
        "status": score.status.value,
        "objective": plain(score.objective),
        "reference": plain(score.reference),
        "reference_kind": score.reference_kind.value,
        "gap_percent": None if score.gap is None else float(score.gap) * 100,
        "excess": plain(score.excess),
        "cpu_seconds": score.cpu_seconds,
        "message": score.message,
        "metrics": score.metrics,
    }


def plain(number: Number | None) -> int | float | None:
    """A number for JSON: an integer stays an integer, a fraction becomes a float."""
    return number if number is None or isinstance(number, int) else float(number)
