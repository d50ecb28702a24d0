"""What a model is shown of a campaign: elites and scores become the plain parts of a prompt.

Only training instances, objectives and reference values enter; never a reference's solution, the evaluator,
or anything of the validation and test splits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ..evaluators.base import Evaluation, Score
from ..problems.base import Instance, Number, Sense
from ..prompts.parts import Case, Failure, Parts, Source, Stratum, Task
from ..prompts.text import short_inputs
from .base import Context, Elite, Failed
from .edits import START

WORST = 2
"""Instances that are shown in short form."""


def parts_for(
    operator: str, parents: Sequence[Elite], context: Context, failure: Failure | None, hunks_from: int
) -> Parts:
    """The parts of an operator's prompt; `hunks_from` is the length in lines from which edits are hunks."""
    parent = parents[0]
    code = main_text(parent)
    partner = parents[1] if operator == "combine" and len(parents) > 1 else None
    shown = {parent.candidate.id} | ({partner.candidate.id} if partner else set())
    changed = failure.text if failure is not None and failure.ran else code
    others = [elite for elite in context.inspirations if elite.candidate.id not in shown]
    return Parts(
        task=_task(context),
        parent=_source("The program", parent),
        partner=_source("The second program", partner) if partner else None,
        strata=tuple(_strata(parent.evaluation, context)),
        worst=tuple(_worst(parent.evaluation, context.instances)),
        baseline=context.baseline[0] if context.baseline else "",
        lineage=context.lineage,
        inspirations=tuple(
            _source(f"Program {letter}", elite) for letter, elite in zip("ABCDEFGH", others, strict=False)
        ),
        failure=failure,
        hunks=operator not in ("explore", "combine") and len(changed.splitlines()) >= hunks_from,
        blocks=START in changed,
    )


def failure_of(failed: Failed, instances: Mapping[str, Instance]) -> Failure:
    """What is said of a candidate whose evaluation failed."""
    score, instance = failed.score, instances.get(failed.score.instance)
    return Failure(
        sentence=f"{score.status.value.replace('_', ' ')} on {score.instance}",
        text=next(iter(failed.candidate.files.values())),
        output=score.message or "",
        inputs="" if instance is None else short_inputs(instance.public),
        ran=True,
    )


def main_text(elite: Elite) -> str:
    """Text of the file with the entry point."""
    return next(iter(elite.candidate.files.values()))


def _task(context: Context) -> Task:
    problem = context.problem
    return Task(
        statement=problem.statement,
        entry_point=problem.entry_point,
        signature=problem.signature,
        minimise=problem.sense is Sense.MINIMISE,
        unit=problem.unit,
        modules=context.modules,
        cpu_seconds=context.cpu_seconds,
    )


def _source(label: str, elite: Elite) -> Source:
    candidate = elite.candidate
    return Source(
        label=label,
        code=main_text(elite),
        gap_percent=-100 * elite.fitness,
        cpu_seconds=max((score.cpu_seconds for score in elite.evaluation.scores), default=0.0),
        note="the start program" if candidate.iteration == 0 else "",
    )


def _strata(evaluation: Evaluation, context: Context) -> Iterable[Stratum]:
    groups: dict[str, list[Score]] = {}
    for score in evaluation.scores:
        instance = context.instances.get(score.instance)
        if instance is not None:
            groups.setdefault(instance.stratum, []).append(score)
    start = {score.instance: score for score in context.start.evaluation.scores}
    baseline = {score.instance: score for score in context.baseline[1].scores} if context.baseline else {}
    for name, scores in sorted(groups.items()):
        zeros = [score for score in scores if score.reference == 0]
        yield Stratum(
            name=name,
            instances=len(scores),
            gap_percent=_mean_gap(scores),
            start_percent=_mean_gap(start.get(score.instance) for score in scores),
            baseline_percent=_mean_gap(baseline.get(score.instance) for score in scores),
            zeros=len(zeros),
            zeros_missed=sum(1 for score in zeros if score.excess),
        )


def _mean_gap(scores: Iterable[Score | None]) -> float | None:
    """Mean gap in percent over the scores that have one; None when none has."""
    gaps = [score.gap for score in scores if score is not None and score.gap is not None]
    return 100 * float(sum(gaps, Fraction(0)) / len(gaps)) if gaps else None


def _worst(evaluation: Evaluation, instances: Mapping[str, Instance]) -> list[Case]:
    """The instances with the largest loss relative to max(|reference|, scale), as the fitness counts it."""

    def loss(score: Score) -> float:
        scale = float(instances[score.instance].scale)
        return float(score.excess or 0) / max(abs(float(score.reference)), scale)

    known = [score for score in evaluation.scores if score.instance in instances and score.excess]
    worst = sorted(known, key=loss, reverse=True)[:WORST]
    return [_case(score, instances[score.instance]) for score in worst]


def _case(score: Score, instance: Instance) -> Case:
    return Case(
        name=instance.id,
        stratum=instance.stratum,
        inputs=short_inputs(instance.public),
        objective=_number(score.objective),
        reference=_number(score.reference),
        reference_kind=score.reference_kind.value,
        gap_percent=None if score.gap is None else 100 * float(score.gap),
        cpu_seconds=score.cpu_seconds,
    )


def _number(value: Number | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{float(value):.6g}"
