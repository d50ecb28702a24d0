"""An evaluation of another process, held against what this process has: ids, references, gaps, fitness.

The other process runs the program, so its answers' objectives are believed; nothing else of what it sends is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..problems.base import Instance, Problem
from ..sandbox.unseen import clean
from .base import Evaluation, EvaluationStatus, Race, Reference, Score, ScoreStatus
from .numbers import scorable
from .scoring import figures

_DIGEST = re.compile(r"[0-9a-f]{64}")
_MESSAGE_CHARACTERS = 4000
_MARKS = 1000
_JUDGED = (ScoreStatus.OK, ScoreStatus.BEYOND_BOUND)


class NotConfirmed(ValueError):
    """What another process says of an evaluation cannot be; says what is wrong with it."""


def confirm_order(
    evaluation: Evaluation,
    instances: Sequence[Instance],
    race: Race | None,
    whole: bool,
    loss: Callable[[Score], float | None],
) -> None:
    """Checks that an evaluation has scores of the instances that it was asked for, and ended as it may.

    Args:
        evaluation: the other process's.
        instances: those of the job, in the order of the race, or else in the usual one.
        race: that may have ended the evaluation.
        whole: whether a failure ends nothing.
        loss: normalised loss of a score.

    Raises:
        NotConfirmed: it has others, or it ended too early.
    """
    asked = [instance.id for instance in instances]
    told = [score.instance for score in evaluation.scores]
    failures = [score for score in evaluation.scores if score.status is not ScoreStatus.OK]
    if len(set(told)) < len(told) or not set(told) <= set(asked):
        strange = next((id for id in told if id not in asked), "one instance twice")
        raise NotConfirmed(f"scores of {strange:.60}, expected each of {len(asked)} instances once at most")
    if evaluation.status is EvaluationStatus.STOPPED:
        _confirm_stop(evaluation, asked, failures, race, loss)
    elif (evaluation.status is EvaluationStatus.FAILED) is not bool(failures):
        raise NotConfirmed(f"status {evaluation.status} with {len(failures)} failures")
    elif set(told) != set(asked) and (whole or not failures):
        raise NotConfirmed(f"scores of {len(told)} instances, expected {len(asked)}")


def _confirm_stop(
    evaluation: Evaluation,
    asked: Sequence[str],
    failures: Sequence[Score],
    race: Race | None,
    loss: Callable[[Score], float | None],
) -> None:
    scores = evaluation.scores
    first = [score.instance for score in scores] == list(asked[: len(scores)])
    if race is None or failures or not first or not 0 < len(scores) < len(asked):
        raise NotConfirmed(f"stopped after {len(scores)} of {len(asked)} instances, expected no stop there")
    losses = [loss(score) or 0.0 for score in scores]
    if not race.lost(losses, [s.answer_digest for s in scores], [s.cpu_seconds for s in scores]):
        raise NotConfirmed(f"stopped after {len(scores)} instances by a race that is not lost there")


def confirm_score(
    score: Score, problem: Problem, instances: Mapping[str, Instance], references: Mapping[str, Reference]
) -> None:
    """Checks a score's reference, status, excess, gap, times and texts, with this process's own reference.

    Raises:
        NotConfirmed: one of them is another one than the objective makes.
    """
    reference = references[score.instance]
    where = f"score of {score.instance}"
    if (score.reference, score.reference_kind) != (reference.value, reference.kind):
        raise NotConfirmed(
            f"{where}: reference {_shown(score.reference)}, expected {_shown(reference.value)}"
        )
    if score.objective is not None:
        if not scorable(score.objective):
            raise NotConfirmed(f"{where}: objective {_shown(score.objective)}, expected one within bounds")
        made = figures(problem, instances[score.instance], reference, score.objective)
        told = (score.status, score.excess, score.gap)
        if made != told or [*map(_is_float, made)] != [*map(_is_float, told)]:
            raise NotConfirmed(f"{where}: status, excess or gap do not follow from the objective")
    if not 0 <= score.cpu_seconds < float("inf"):
        raise NotConfirmed(f"{where}: {_shown(score.cpu_seconds)} CPU seconds")
    digest = score.answer_digest
    if (digest is None and score.status in _JUDGED) or (digest is not None and not _DIGEST.fullmatch(digest)):
        raise NotConfirmed(f"{where}: answer digest {_shown(digest)}, expected 64 hexadecimal digits")
    named = [text for pair in (score.metrics or {}).items() for text in pair if isinstance(text, str)]
    texts = [*([] if score.message is None else [score.message]), *score.marks, *named]
    if (score.message is None) is not (score.status is ScoreStatus.OK) or len(score.marks) > _MARKS:
        raise NotConfirmed(f"{where}: {score.status} with message {_shown(score.message)}")
    if any(len(text) > _MESSAGE_CHARACTERS or clean(text) != text or "\n" in text for text in texts):
        raise NotConfirmed(f"{where}: a text of more than one line, or with characters that nobody sees")


def _is_float(value: object) -> bool:
    return isinstance(value, float)


def _shown(value: Any) -> str:
    return f"{value!s:.60}" if not isinstance(value, str) else f"{value!r:.60}"
