"""Turns an execution into a score (verdict, objective, loss, gap), using the parent's own instance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from ..problems.base import Instance, Number, Problem, Sense
from ..problems.plain import brief
from ..sandbox.base import Execution, ExecutionStatus
from ..sandbox.unseen import clean
from .base import Reference, Score, ScoreStatus, measured
from .judging import Judgement, judge
from .numbers import DEFAULT_TOLERANCE, LARGEST, better_than, exact, subtract

_MESSAGE_CHARACTERS = 500


def tolerance_of(problem: Problem) -> float:
    """Relative tolerance for float objectives: the problem's `tolerance` attribute, by default 1e-9."""
    return float(getattr(problem, "tolerance", DEFAULT_TOLERANCE))


def score(
    problem: Problem,
    instance: Instance,
    reference: Reference,
    execution: Execution,
    judgement: Judgement | None = None,
) -> Score:
    """Scores one execution; every failure of the candidate gives a status, never an exception.

    Args:
        problem: the problem, for sense, unit and tolerance.
        instance: the instance that the candidate answered.
        reference: the reference of the instance.
        execution: the candidate's execution.
        judgement: judgement of the answer; by default computed in this process without a deadline.
    """
    if execution.status is not ExecutionStatus.OK:
        status = ScoreStatus(execution.status.value)
        return _failed(instance, reference, execution, status, execution.error or "", None)
    judgement = judgement or judge(problem, instance, execution.answer)
    verdict = judgement.verdict
    digest = judgement.digest
    if verdict.objective is None:
        status = ScoreStatus(verdict.status.value)
        return _failed(instance, reference, execution, status, "; ".join(verdict.violations), digest)
    made = figures(problem, instance, reference, verdict.objective)
    if made is None:
        got = f"{problem.name}: verify gave {brief(verdict.objective)} as objective"
        whole = "the reference" if reference.value else "the instance's scale"
        why = f"{got}, expected one that is at most 10^301 times {whole} away from the reference"
        return _failed(instance, reference, execution, ScoreStatus.INVALID_ANSWER, why, digest)
    status, excess, gap = made
    return Score(
        instance=instance.id,
        status=status,
        objective=verdict.objective,
        reference=reference.value,
        reference_kind=reference.kind,
        gap=gap,
        excess=excess,
        cpu_seconds=execution.cpu_seconds,
        answer_digest=digest,
        message=None if status is ScoreStatus.OK else _beyond(verdict.objective, reference, problem.unit),
        marks=execution.marks,
    )


def figures(
    problem: Problem, instance: Instance, reference: Reference, objective: Number
) -> tuple[ScoreStatus, Number, Fraction | float | None] | None:
    """Status, excess and gap (see `Score`) of a valid answer; None where the gap is no float's size."""
    minimise = problem.sense is Sense.MINIMISE
    excess = loss(objective, reference.value, minimise)
    if not _measurable(excess, reference, instance):
        return None
    beyond = reference.bound is not None and better_than(
        objective, reference.bound, minimise, tolerance_of(problem)
    )
    if beyond:
        return ScoreStatus.BEYOND_BOUND, excess, None
    with_gap = measured(reference.value, reference.kind)
    return ScoreStatus.OK, excess, ratio(excess, reference.value) if with_gap else None


def loss(objective: Number, reference: Number, minimise: bool) -> Number:
    """By how much an objective is worse than a reference (problem's unit; negative if better)."""
    return subtract(objective, reference) if minimise else subtract(reference, objective)


def _measurable(excess: Number, reference: Reference, instance: Instance) -> bool:
    """Whether the gap (with reference 0: the normalised loss) can be averaged and shown as a float."""
    return -10 * LARGEST <= ratio(excess, reference.value or instance.scale) <= 10 * LARGEST


def ratio(part: Number, whole: Number) -> Fraction | float:
    """part / |whole|, exact if both numbers are exact; `whole` must not be 0."""
    if exact(part) and exact(whole):
        return Fraction(part) / abs(Fraction(whole))
    return float(part) / abs(float(whole))


def normalised_loss(score: Score, instance: Instance) -> float | None:
    """The loss of one score: excess / max(|reference|, scale) (a ratio); None unless the score is OK.

    A float objective that beats a proven bound by less than the tolerance has loss 0, so that rounding noise
    never wins over an exact optimum. The score itself keeps the difference.
    """
    if score.status is not ScoreStatus.OK or score.excess is None:
        return None
    small = -instance.scale < score.reference < instance.scale
    whole = instance.scale if small else score.reference
    if type(score.excess) is int and type(whole) is int:
        return score.excess / abs(whole)  # what the exact ratio rounds to, in a tenth of the time
    loss = float(ratio(score.excess, whole))
    return max(0.0, loss) if score.reference_kind.proven and not exact(score.excess) else loss


def fitness(scores: Sequence[Score], instances: Sequence[Instance]) -> float | None:
    """−mean over all instances of the normalised loss (larger is better); None unless every score is OK."""
    losses = [normalised_loss(s, i) for s, i in zip(scores, instances, strict=True)]
    complete = [value for value in losses if value is not None]
    if not losses or len(complete) < len(losses):
        return None
    return -math.fsum(complete) / len(complete) + 0.0


def _failed(
    instance: Instance,
    reference: Reference,
    execution: Execution,
    status: ScoreStatus,
    message: str,
    digest: str | None,
) -> Score:
    return Score(
        instance=instance.id,
        status=status,
        objective=None,
        reference=reference.value,
        reference_kind=reference.kind,
        gap=None,
        excess=None,
        cpu_seconds=execution.cpu_seconds,
        answer_digest=digest,
        message=one_line(message)[:_MESSAGE_CHARACTERS] or status.value,
        marks=execution.marks,
    )


def one_line(text: str) -> str:
    """A text on one line without invisible characters, because messages quote candidates' answers."""
    return clean(" ".join(text.split()))


def _beyond(objective: Number, reference: Reference, unit: str) -> str:
    return (
        f"objective {objective} {unit} is better than the proven bound {reference.bound} "
        f"({reference.proof}, {reference.solver}): the evaluator has a bug or was cheated"
    )
