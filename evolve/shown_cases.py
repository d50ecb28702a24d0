"""Instances in a prompt: where programs lose most, and what they make of the same instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..evaluators.base import ReferenceKind, Score
from ..problems.base import Instance, Number
from ..prompts.parts import Answer, Case
from ..prompts.text import short_inputs
from .base import Context, Elite

WORST = 2
"""Instances that are shown of the parent; one more where the best program loses most."""
Explain = Callable[[Elite, str], str]
"""What the problem says of an elite's answer to a training instance (its id); empty if nothing."""


def nothing(elite: Elite, instance: str) -> str:
    """An `Explain` that says nothing."""
    return ""


def is_reported(elite: Elite) -> bool:
    """Whether a foreign evaluator reported the scores of a program."""
    return any(score.reference_kind is ReferenceKind.REPORTED for score in elite.evaluation.scores)


def gaps_of(scores: Iterable[Score], instances: Mapping[str, Instance]) -> dict[str, float]:
    """The gap of each training instance in percent, relative to max(|reference|, scale)."""
    return {
        score.instance: 100
        * float(score.excess)
        / max(abs(float(score.reference)), float(instances[score.instance].scale))
        for score in scores
        if score.excess is not None and score.instance in instances
    }


def cases_of(
    parent: Elite, best: Elite, beside: tuple[str, Elite], context: Context, explain: Explain
) -> Iterable[Case]:
    """Instances on which the parent loses most, then the one of the best program's, with all answers.

    Where the parent is the best program, the answers of another program stand beside its own: what two
    principles do with one instance says more than what one does. At a stand-still each prompt goes on to the
    next instances.

    Args:
        parent, best: programs of the prompt.
        beside: label and elite of the other program.
        context: what the search knows.
        explain: what the problem says of answers.
    """
    elites = [("This program", parent), ("The best program", best)]
    if best.candidate.id == parent.candidate.id:
        alone = beside[1].candidate.id == parent.candidate.id or is_reported(parent)
        elites[1:] = [] if alone else [beside]
    for id in _chosen(parent, best, context):
        scores = {label: _score(elite, id) for label, elite in elites}
        first = scores["This program"]
        if first is None:
            continue
        yield Case(
            name=id,
            stratum=context.instances[id].stratum,
            inputs=short_inputs(context.instances[id].public),
            reference=number_text(first.reference),
            reference_kind=first.reference_kind.value,
            answers=tuple(
                _answer(label, elite, score, context, explain)
                for label, elite in elites
                if (score := scores[label]) is not None and score.excess is not None
            ),
        )


def _chosen(parent: Elite, best: Elite, context: Context) -> list[str]:
    """The instances of a prompt (ids): of a reported score all."""
    ids = _worst(parent, context.instances)
    first = WORST * context.still % max(1, len(ids))
    chosen = [*ids[first:], *ids[:first]][:WORST]
    if best.candidate.id != parent.candidate.id:
        chosen += [id for id in _worst(best, context.instances) if id not in chosen][:1]
    return chosen


def _worst(elite: Elite, instances: Mapping[str, Instance]) -> list[str]:
    """The instances on which a program loses anything, from the largest gap; of reported scores, all."""
    gaps = gaps_of(elite.evaluation.scores, instances)
    if is_reported(elite):
        return list(gaps)
    return sorted((id for id, gap in gaps.items() if gap > 0), key=lambda id: -gaps[id])


def _score(elite: Elite, id: str) -> Score | None:
    return next((score for score in elite.evaluation.scores if score.instance == id), None)


def _answer(label: str, elite: Elite, score: Score, context: Context, explain: Explain) -> Answer:
    return Answer(
        label=label,
        objective=number_text(score.objective),
        gap_percent=gaps_of([score], context.instances)[score.instance],
        cpu_seconds=score.cpu_seconds,
        explanation=explain(elite, score.instance),
    )


def number_text(value: Number | None) -> str:
    """A number as prompts write it; a dash if there is none."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{float(value):.6g}"
