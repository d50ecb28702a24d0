"""What a model is shown of a campaign; apart from its proposer, which decides whom to ask.

Only training instances, objectives and reference values enter, and what the problem says of a candidate's own
answers; never a reference's solution, the evaluator, or anything of the validation and test splits.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, stdev

from ...evaluators.base import Score, ScoreStatus, half_interval, student
from ...problems.base import DescribesCalls, Driven, Instance, Sense
from ...prompts.builder import NOTES
from ...prompts.parts import Failure, Founder, Parts, Source, Stratum, Task, Tried
from ...prompts.text import SMALLEST, short_inputs, shortened, tokens
from ..types import Context, Elite, Failed
from .edits import START
from .prompt_scores import (
    Explain,
    budget_words,
    cases_of,
    gaps_of,
    is_reported,
    line_of,
    means_of,
    nothing,
    time_sentences,
)

# The programs that a campaign began with, in brief.

MOST = 8
"""Founders that a prompt names (count), the best first."""
_IDEA = 300
"""Characters of a founder's idea."""


def founders_of(context: Context, shown: Collection[str]) -> tuple[Founder, ...]:
    """Founders in brief, but for those whose text the prompt shows (ids)."""
    left = [elite for elite in context.founders if elite.candidate.id not in shown]
    return tuple(
        Founder(elite.candidate.operator, -100 * elite.fitness, _idea(elite)) for elite in left[:MOST]
    )


def _idea(elite: Elite) -> str:
    """The first paragraph of a program's docstring; empty without one."""
    try:
        text = ast.get_docstring(ast.parse(next(iter(elite.candidate.files.values())))) or ""
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return shortened(" ".join(text.split("\n\n")[0].split()), _IDEA)


PLAIN_STRATA = 6
"""More strata than these are shown by the values that they share."""
NAMED = 6
"""Groups that a sentence names."""
EDITS_FROM_LINES = 40
"""A change of a program of so many lines may be given as hunks."""
Gaps = Mapping[str, float]
"""Instance id → gap in percent, as the fitness counts it."""


def context_for(
    operator: str,
    parents: Sequence[Elite],
    context: Context,
    failure: Failure | None,
    hunks_from: int,
    explain: Explain = nothing,
    notes: str = "",
) -> Parts:
    """The parts of an operator's prompt.

    Args:
        operator: what is asked for.
        parents: the program to change, then the one beside it.
        context: what the search knows.
        failure: what is to be repaired.
        hunks_from: length in lines from which the reply shall be hunks.
        explain: what the problem says of answers.
        notes: the page of notes.
    """
    parent = parents[0]
    partner = parents[1] if operator == "combine" and len(parents) > 1 else None
    best = context.best if context.best is not None else context.start
    labels = {best.candidate.id: "the best program", parent.candidate.id: "this program"}
    if partner is not None:
        labels[partner.candidate.id] = "the second program"
    shown = {elite.candidate.id for elite in (parent, partner) if elite is not None}
    others = _others(context, labels)
    labels |= {elite.candidate.id: label.replace("Program", "program") for label, elite, _ in others}
    beside = ("Program A", others[0][1]) if others else ("The start program", context.start)
    text = main_text(parent) if failure is None or not failure.ran else failure.text
    anew = operator in ("explore", NOTES)
    lines = 0 if anew else len(text.splitlines())
    hunks = lines >= hunks_from and operator != "combine"
    columns, strata = _table(parent, partner, best, [elite for _, elite, _ in others], context)
    groups = _told(strata, context)
    bests = {row.name: row.best for row in strata if row.best is not None and _unseen(row)}
    parts = Parts(
        task=_task(parent, context),
        parent=_source("The program", parent, context),
        partner=_source("The second program", partner, context) if partner else None,
        best=_source("The best program so far", best, context) if best.candidate.id not in shown else None,
        others=tuple(_source(label, elite, context, note) for label, elite, note in others),
        founders=founders_of(context, labels) if anew and operator != NOTES else (),
        columns=columns,
        strata=() if is_reported(parent) else strata,
        worst=tuple(cases_of(parent, best, beside, context, explain))
        if failure is None and operator != NOTES
        else (),
        gains=_gains(parent, partner, context) if partner else "",
        tried=_fitting(line_of(attempt, labels, groups, bests) for attempt in context.attempts),
        under_way=context.under_way,
        lineage=context.lineage if len(context.lineage) > 1 else (),
        notes=notes,
        time=time_sentences(parent, context) if operator != NOTES else "",
        time_budget=budget_words(context),
        failure=failure,
        solved=best.solved,
        hunks=hunks,
        edits=lines >= EDITS_FROM_LINES and not hunks,
        blocks=START in text,
    )
    return parts if failure is None else replace(parts, others=(), tried=(), lineage=(), notes="", strata=())


LEDGER_TOKENS = 2_000
"""Of what was tried in a prompt (estimated tokens)."""


def _fitting(lines: Iterable[Tried]) -> tuple[Tried, ...]:
    """The first lines, as many as `LEDGER_TOKENS` hold."""
    found: list[Tried] = []
    left = LEDGER_TOKENS
    for line in lines:
        texts = (line.operator, line.ending, line.idea, line.difference, line.groups, line.seconds)
        left -= tokens(" ".join(texts)) + _LINE_TOKENS
        if left < 0:
            break
        found.append(line)
    return tuple(found)


_LINE_TOKENS = 6
"""Of a line's gap and punctuation."""


def failure_of(failed: Failed, context: Context, parent: Elite) -> Failure:
    """What is said of a candidate whose evaluation failed, and of the program that works beside it."""
    score = failed.score
    instance = context.instances.get(failed.score.instance)
    return Failure(
        sentence=f"{score.status.value.replace('_', ' ')} on {score.instance}",
        text=next(iter(failed.candidate.files.values())),
        output=score.message or "",
        inputs="" if instance is None else short_inputs(instance.public),
        ran=True,
        measured=_measured(failed, context, parent),
    )


def _measured(failed: Failed, context: Context, parent: Elite) -> str:
    """CPU times around a failure, and how far the evaluation had come."""
    score = failed.score
    before = failed.evaluation.scores[:-1]
    sentences = [
        f"Before it, {len(before)} of {len(context.instances)} training instances had a valid answer"
        + (
            f", in {_seconds(max(s.cpu_seconds for s in before))} s of CPU time at the most and "
            f"{_seconds(fmean(s.cpu_seconds for s in before))} s in the mean."
            if before
            else "."
        )
    ]
    if score.status is ScoreStatus.TIMEOUT:
        sentences.append(
            f"On this instance it had used {_seconds(score.cpu_seconds)} s when it was ended; the limit is "
            f"{context.cpu_seconds:g} s."
        )
    working = next((s for s in parent.evaluation.scores if s.instance == score.instance), None)
    if working is not None:
        sentences.append(f"The program that works takes {_seconds(working.cpu_seconds)} s there.")
    return " ".join(sentences)


def main_text(elite: Elite) -> str:
    """Text of the file with the entry point."""
    return next(iter(elite.candidate.files.values()))


def _others(context: Context, shown: Mapping[str, str]) -> list[tuple[str, Elite, str]]:
    """Label, elite and remark of the further programs: the complements of the best, then the inspirations."""
    rows: dict[str, tuple[Elite, str]] = {}
    for complement in context.complements:
        names = _listed(complement.strata)
        rows[complement.elite.candidate.id] = complement.elite, f"better than the best program on {names}"
    for elite in context.inspirations:
        rows.setdefault(elite.candidate.id, (elite, ""))
    left = [row for id, row in rows.items() if id not in shown]
    return [(f"Program {letter}", *row) for letter, row in zip("ABCDEFGH", left, strict=False)]


def _task(parent: Elite, context: Context) -> Task:
    problem = context.problem
    return Task(
        statement=problem.statement,
        entry_point=problem.entry_point,
        signature=problem.signature,
        minimise=problem.sense is Sense.MINIMISE,
        unit=problem.unit,
        modules=context.modules,
        cpu_seconds=context.cpu_seconds,
        driven=isinstance(problem, Driven),
        calls=problem.calls if isinstance(problem, DescribesCalls) else "",
        references=_references(parent.evaluation.scores),
        reported=is_reported(parent),
    )


def _mean_score(elite: Elite) -> str:
    """The mean reported score of a program; empty where its gaps are verified."""
    scores = [float(s.objective) for s in elite.evaluation.scores if s.objective is not None]
    return f"{fmean(scores):.6g}" if scores and is_reported(elite) else ""


def _references(scores: Sequence[Score]) -> str:
    """What the training references are, in a sentence."""
    kinds = Counter(score.reference_kind.value.replace("_", " ") for score in scores)
    if not kinds:
        return ""
    if len(kinds) == 1:
        return f"Every reference is {_article(next(iter(kinds)))}."
    return (
        f"References: {', '.join(f'{_article(kind)} on {n} instances' for kind, n in kinds.most_common())}."
    )


def _article(kind: str) -> str:
    return {
        "optimum": "a proven optimum",
        "bound": "a proven bound, which need not be attainable",
        "best known": "the best value known",
        "baseline": "the value of the best baseline",
    }.get(kind, kind)


def _source(label: str, elite: Elite, context: Context, note: str = "") -> Source:
    notes = [note] if note else []
    if elite.candidate.iteration == 0:
        notes.append("a start program")
    if context.best is not None and elite.candidate.id == context.best.candidate.id and "best" not in label:
        notes.append("the best so far")
    return Source(
        label=label,
        code=main_text(elite),
        gap_percent=-100 * elite.fitness,
        cpu_seconds=max((score.cpu_seconds for score in elite.evaluation.scores), default=0.0),
        note="; ".join(notes),
        instances=len(elite.evaluation.scores),
        spread=half_interval(list(gaps_of(elite.evaluation.scores, context.instances).values())),
        score=_mean_score(elite),
    )


def _groups(instances: Mapping[str, Instance], measured: Iterable[str]) -> dict[str, list[str]]:
    """Group → ids of its instances: strata, or if there are many the values that strata share."""
    strata: dict[str, list[str]] = {}
    for id in measured:
        strata.setdefault(instances[id].stratum, []).append(id)
    words = [name.split() for name in strata]
    if len(strata) <= PLAIN_STRATA or len({len(parts) for parts in words}) != 1 or len(words[0]) < 2:
        return dict(sorted(strata.items()))
    shared: dict[str, list[str]] = {}
    for place in range(len(words[0])):
        values = sorted({parts[place] for parts in words}, key=_in_order)
        for value in values if len(values) > 1 else ():
            shared[value] = [id for n, ids in strata.items() if n.split()[place] == value for id in ids]
    return shared


def _in_order(value: str) -> tuple[float, str]:
    """Sorts `n=40` before `n=100`, and other words by themselves."""
    number = value.rpartition("=")[2]
    return (float(number), value) if number.replace(".", "", 1).isdecimal() else (0.0, value)


def _table(
    parent: Elite, partner: Elite | None, best: Elite, others: Sequence[Elite], context: Context
) -> tuple[tuple[str, ...], tuple[Stratum, ...]]:
    """Columns and rows of mean gaps, all instances last.

    Left out are columns that say what another one says, and groups on which nobody loses anything.
    """
    columns = {"this program": parent.evaluation.scores}
    shown = {parent.candidate.id}
    named = [("second program", partner), ("best program", best)]
    named += [(f"program {letter}", elite) for letter, elite in zip("ABCDEFGH", others, strict=False)]
    for label, elite in (*named, ("start program", context.start)):
        if elite is not None and elite.candidate.id not in shown:
            shown.add(elite.candidate.id)
            columns[label] = elite.evaluation.scores
    if context.baseline is not None:
        columns[f"best baseline ({context.baseline[0]})"] = context.baseline[1].scores
    gaps: dict[str, Gaps] = {}
    for label, scores in columns.items():
        if (column := gaps_of(scores, context.instances)) not in gaps.values():
            gaps[label] = column
    groups = _groups(context.instances, gaps["this program"])
    rows = [_row(name, ids, gaps.values()) for name, ids in groups.items()]
    told = [row for row in rows if any(gap is not None and abs(gap) >= SMALLEST for gap in row.gaps)]
    every = _row("all", list(gaps["this program"]), gaps.values())
    ids = {**groups, "all": list(gaps["this program"])}
    two = [gaps[label] for label in (*gaps,) if not label.startswith("best baseline")][:2]
    chosen = (*told, every) if len(groups) > 1 else (every,)
    return tuple(gaps), tuple(_measured_row(row, ids[row.name], two, context) for row in chosen)


FEWEST_PAIRED = 3
"""Instances below which a group has no noise floor."""


def _measured_row(row: Stratum, ids: Sequence[str], two: Sequence[Gaps], context: Context) -> Stratum:
    """A row with the smallest mean of all programs that are known, and how far differences move by chance.

    Args:
        row: of the table.
        ids: of the group's instances.
        two: gaps of one or two programs, whose paired differences show the noise.
        context: what the search knows.
    """
    means = [mean for attempt in context.attempts for mean in means_of(attempt, {"": ids}).values()]
    best = min((gap for gap in (*row.gaps, *means) if gap is not None), default=None)
    differences = [two[0][id] - two[1][id] for id in ids if id in two[0] and id in two[1]] if two[1:] else []
    if len(differences) < FEWEST_PAIRED:
        return replace(row, best=best)
    count = len(differences)
    return replace(row, best=best, noise=student(0.975, count - 1) * stdev(differences) / count**0.5)


def _told(strata: Sequence[Stratum], context: Context) -> dict[str, list[str]]:
    """Group → ids of its instances, of the groups that the table shows; empty where it shows none."""
    names = [row.name for row in strata[:-1]]
    return {name: ids for name, ids in _groups(context.instances, context.instances).items() if name in names}


def _unseen(row: Stratum) -> bool:
    """Whether a program that the prompt does not show is better on a group than all that it shows."""
    shown = [gap for gap in row.gaps if gap is not None]
    return row.best is not None and row.best < min(shown, default=0.0) - SMALLEST


def _row(name: str, ids: Sequence[str], columns: Iterable[Gaps]) -> Stratum:
    return Stratum(name, len(ids), tuple(_mean(gaps, ids) for gaps in columns))


def _mean(gaps: Gaps, ids: Sequence[str]) -> float | None:
    """Mean gap in percent over the instances of these that have one; None when none has."""
    measured = [gaps[id] for id in ids if id in gaps]
    return fmean(measured) if measured else None


def _gains(parent: Elite, partner: Elite, context: Context) -> str:
    """Where each of two programs has the smaller gap."""
    first, second = (gaps_of(elite.evaluation.scores, context.instances) for elite in (parent, partner))
    strata: dict[str, list[str]] = {}
    for id in first:
        strata.setdefault(context.instances[id].stratum, []).append(id)
    differences = {
        name: (_mean(second, ids) or 0.0) - (_mean(first, ids) or 0.0) for name, ids in sorted(strata.items())
    }
    wins = [name for name, difference in differences.items() if difference > SMALLEST]
    losses = [name for name, difference in differences.items() if difference < -SMALLEST]
    if wins and losses:
        return (
            f"The first program has the smaller gap on {_listed(wins)}; the second one on {_listed(losses)}."
        )
    if wins or losses:
        ahead, behind = ("first", "second") if wins else ("second", "first")
        return (
            f"The {ahead} program is better, or as good, on every group; the {behind} one has another idea."
        )
    return "The two are as good as each other on every group, by different ideas."


def _listed(names: Sequence[str]) -> str:
    """Names in a row, so many at the most, with the number of all."""
    shown = ", ".join(names[:NAMED])
    return shown if len(names) <= NAMED else f"{len(names)} groups ({shown}, …)"


def _seconds(value: float) -> str:
    return f"{value:.3g}"
