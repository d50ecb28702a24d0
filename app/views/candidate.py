"""One candidate: origin, figures, failures, code, conversation, explanation, simplified form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...evolve.store.course import first_of_reply
from ...evolve.store.progress import children
from ...problems.base import SPLITS
from ..formatting import (
    UNKNOWN,
    UNVERIFIED,
    bar,
    clean,
    count,
    far_mark,
    gap_word,
    milliseconds,
    one_line,
    percent,
    reaches,
    reported_cell,
    signed,
    spread,
)
from ..runs.figures import REPORTED, instance_row, trust
from ..runs.record import SHORT, RunRecord, measured, metric_rows
from ..runs.summary import test_evaluations
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


_MOST_FAILURES = 5


def candidate_document(record: RunRecord, id: str) -> dict[str, Any]:
    """Everything recorded about a candidate, as JSON."""
    candidate = record.candidate(id)
    prompt, reply = _conversation(record, candidate.iteration)
    found = {split: record.figures(id, split) for split in SPLITS}
    return {
        "run": record.name,
        "unsafe_without": record.unsafe,
        "layers": record.layers,
        "reached": record.reached(id),
        "candidate": id,
        "origin": candidate.origin.value,
        "operator": candidate.operator,
        "idea": candidate.idea,
        "iteration": candidate.iteration,
        "island": candidate.island,
        "parents": list(candidate.parents),
        "children": children(record.reader, id),
        "nodes": candidate.description.nodes,
        "files": dict(candidate.files),
        "splits": {split: None if f is None else f.as_json() for split, f in found.items()},
        "strata": {
            split: {name: f.as_json() for name, f in record.strata(id, split).items()} for split in SPLITS
        },
        "metrics": {
            split: {name: m.as_json() for name, m in measured(record.scores(id, split)).items()}
            for split in SPLITS
        },
        "instances": [
            {"split": split, **instance_row(score, record.instances[score.instance])}
            for split in SPLITS
            for score in record.scores(id, split)
        ],
        "prompt": prompt,
        "reply": reply,
    }


def print_candidate(console: Console, record: RunRecord, id: str, *, conversation: bool) -> None:
    """Prints a candidate.

    Args:
        console: console to print on.
        record: record of the run.
        id: id of the candidate.
        conversation: whether to print the prompt and the reply that made the candidate.
    """
    candidate = record.candidate(id)
    made = candidate.origin.value
    if candidate.operator and candidate.operator != made:
        made += f" ({clean(candidate.operator)})"
    console.print(f"candidate {id} of {record.name}", markup=False, style="bold")
    parents = ", ".join(p[:SHORT] for p in candidate.parents) or "none"
    console.print(
        f"{made}, iteration {candidate.iteration}, island {candidate.island}; parents: {parents}; "
        f"{candidate.description.nodes} syntax-tree nodes",
        markup=False,
        soft_wrap=False,
    )
    if candidate.idea:
        console.print(one_line(candidate.idea, 400), markup=False, soft_wrap=False)
    if reached := record.reached(id):
        console.print(reaches(reached), markup=False)
    reported = trust(record.reader) == REPORTED
    console.print((_scores_table if reported else _figures_table)(record, id), soft_wrap=False)
    if (looks := test_evaluations(record.reader)) > 1:
        console.print(f"test seen {looks} times", markup=False)
    split = next((s for s in ("test", "valid", "train") if record.strata(id, s)), None)
    if reported:
        _print_metrics(console, record, id)
        console.print(UNVERIFIED, markup=False)
    elif split is not None:
        console.print(strata_table(record, id, split, console.width), soft_wrap=False)
    _print_failures(console, record, id)
    for path, text in candidate.files.items():
        console.print(f"\n{clean(path)}", markup=False, style="bold")
        print_code(console, text, numbered=True)
    if conversation:
        _print_conversation(console, record, candidate.iteration)


def print_code(console: Console, text: str, *, numbered: bool = False) -> None:
    """Prints Python code without control characters, highlighted on a terminal and plain elsewhere.

    Args:
        console: to print on; a terminal always shows the numbers of lines.
        text: the code.
        numbered: whether plain code has them too, as `show --explain` cites them.
    """
    shown = clean(text).rstrip()
    if not console.is_terminal:
        if numbered:
            lines = shown.split("\n")
            width = len(str(len(lines)))
            shown = "\n".join(f"{n:>{width}}  {line}".rstrip() for n, line in enumerate(lines, 1))
        console.print(shown, markup=False, soft_wrap=True)
        return
    from rich.syntax import Syntax

    theme = "ansi_dark"
    plain = "default"
    code = Syntax(shown, "python", theme=theme, background_color=plain, line_numbers=True, word_wrap=True)
    console.print(code)


def strata_table(record: RunRecord, id: str, split: str, width: int) -> Table:
    """A table of the gap of each stratum beside the start program's, percent of the reference, with bars."""
    from rich.text import Text

    other = record.start if record.start not in (None, id) else None
    mine = record.strata(id, split)
    theirs = {} if other is None else record.strata(other, split)
    both = (*mine.values(), *theirs.values())
    values = [v for f in both if (v := f.mean_gap_percent) is not None]
    most = max([0.0, *values])
    zeros = any(f.zero_references == f.instances for f in mine.values())
    without = f"; {UNKNOWN} where every reference is 0" if zeros else ""
    table = new_table(f"mean gap by stratum, {split} split{without}")
    table.add_column("stratum", overflow="fold")
    for column in ("gap", "start"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("gap as a bar", no_wrap=True)
    table.add_column("solved", justify="right", no_wrap=True)
    long = max(8, min(40, width - 62))
    for name, figures in sorted(mine.items()):
        gap = figures.mean_gap_percent
        before = theirs[name].mean_gap_percent if name in theirs else None
        length = bar(gap / most, long) if gap is not None and most else ""
        style = "green" if gap is not None and before is not None and gap < before else None
        style = "red" if gap is not None and before is not None and gap > before else style
        shown = f"{figures.failed} failed" if figures.failed else percent(gap)
        solved = f"{figures.solved}/{figures.instances}"
        table.add_row(Text(clean(name)), shown, percent(before), length, solved, style=style)
    return table


def _scores_table(record: RunRecord, id: str) -> Table:
    """Reported scores of the splits; nothing verified them."""
    table = new_table("reported score (unverified), mean [change over the start program]")
    for column in ("split", "score [change]", "failed", "CPU ms"):
        table.add_column(column, justify="left" if column == "split" else "right", no_wrap=True)
    for split in SPLITS:
        figures = record.figures(id, split)
        if figures is None:
            table.add_row(split, "not evaluated")
        else:
            cells = reported_cell(figures.as_json()), str(figures.failed)
            table.add_row(split, *cells, milliseconds(figures.cpu_seconds_median))
    return table


def _print_metrics(console: Console, record: RunRecord, id: str) -> None:
    """Prints what the evaluator measured in each split; runs of earlier versions stored nothing of it."""
    rows = metric_rows(record, id)
    if not rows:
        return
    table = new_table("reported metrics (unverified), mean (least to most)")
    table.add_column("metric", overflow="fold")
    for split in SPLITS:
        table.add_column(split, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table, soft_wrap=False)


def _figures_table(record: RunRecord, id: str) -> Table:
    table = new_table("")
    table.add_column("split", no_wrap=True)
    for column in ("mean gap", "95 % interval", "ratio of sums", "solved", "failed", "CPU ms"):
        table.add_column(column, justify="right")
    for split in SPLITS:
        figures = record.figures(id, split)
        if figures is None:
            table.add_row(split, UNKNOWN, "not evaluated")
            continue
        table.add_row(
            split,
            f"{percent(figures.mean_gap_percent)} {far_mark(figures.as_json())}".strip(),
            spread(figures.as_json()),
            percent(figures.ratio_of_sums_percent),
            f"{figures.solved}/{figures.instances}",
            str(figures.failed),
            milliseconds(figures.cpu_seconds_median),
        )
    return table


def _print_failures(console: Console, record: RunRecord, id: str) -> None:
    failed = [s for split in SPLITS for s in record.scores(id, split) if s.message is not None]
    for score in failed[:_MOST_FAILURES]:
        words = one_line(score.message or "", 300)
        console.print(f"{score.status.value} on {clean(score.instance)}: {words}", markup=False, style="red")
    if len(failed) > _MOST_FAILURES:
        console.print(f"… and {len(failed) - _MOST_FAILURES} more failures", markup=False)


def _print_conversation(console: Console, record: RunRecord, iteration: int) -> None:
    prompt, reply = _conversation(record, iteration)
    if prompt is None:
        console.print("\nno prompt: it was not made by a model", markup=False)
        return
    answer = (reply or {}).get("text") or "none"
    for name, text in (("system", prompt["system"]), ("prompt", prompt["user"]), ("reply", answer)):
        console.print(f"\n{name}", style="bold")
        console.print(clean(text), markup=False)
    if reply is not None:
        words = f"{reply['tokens_in']} tokens in, {reply['tokens_out']} out, finish: {reply['finish_reason']}"
        console.print(f"\n{clean(reply['model'])}: {clean(words)}", markup=False)


def _conversation(record: RunRecord, iteration: int) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Prompt and reply of the last answered call of an iteration, or of the one whose reply it shares."""
    numbers = (first_of_reply(record.reader, iteration), iteration) if iteration else ()
    calls = [
        c for number in dict.fromkeys(numbers) for c in record.reader.calls(number) if c.state == "replied"
    ]
    if not calls:
        return None, None
    call = calls[-1]
    prompt = record.reader.prompt(call.prompt)
    names = ("model", "text", "tokens_in", "tokens_out", "cost_usd", "finish_reason")
    reply = {name: getattr(call, name) for name in names} | {"wall_seconds": call.seconds}
    return (None if prompt is None else {"system": prompt.system, "user": prompt.user}), reply


def best_document(record: RunRecord, id: str) -> Mapping[str, Any]:
    """The best candidate's source with its figures, as JSON."""
    document = candidate_document(record, id)
    wanted = (
        "run",
        "unsafe_without",
        "layers",
        "reached",
        "candidate",
        "origin",
        "iteration",
        "files",
        "splits",
    )
    problem = record.problem
    return {
        **{key: document[key] for key in wanted},
        "entry_point": problem.get("entry_point"),
        "source": next(iter(document["files"].values())),
    }


# Prints how much each statement of a candidate contributes.

_EFFECT = 0.005
"""A smaller change of the loss counts as none, percent points."""


def print_explanation(console: Console, found: Mapping[str, Any]) -> None:
    """Prints an explanation of a candidate."""
    from rich.text import Text

    strata = [
        r for r in found["strata"] if r["gap_percent"] is not None and r["start_gap_percent"] is not None
    ]
    better = [r for r in strata if r["gap_percent"] < r["start_gap_percent"]]
    worse = [r for r in strata if r["gap_percent"] > r["start_gap_percent"]]
    equal = len(strata) - len(better) - len(worse)
    console.print(
        f"candidate {found['candidate']} against its start program, validation split: "
        f"better on {len(better)} strata, equal on {equal}, worse on {len(worse)}; "
        f"CPU {milliseconds(found['cpu_seconds_median'])} ms per execution "
        f"(start program {milliseconds(found['start_cpu_seconds_median'])} ms)",
        markup=False,
        soft_wrap=False,
    )
    for title, rows in (("most improved", better[:3]), ("most worsened", worse[::-1][:3])):
        for row in rows:
            gaps = f"{percent(row['start_gap_percent'])} → {percent(row['gap_percent'])}"
            console.print(f"  {title}: {clean(row['stratum'])}  {gaps}", markup=False)
    table = new_table(f"loss when a statement is left out (with all: {percent(found['loss_percent'])})")
    table.add_column("lines", justify="right", no_wrap=True)
    table.add_column("statement", overflow="ellipsis", no_wrap=True)
    table.add_column("without it", justify="right", no_wrap=True)
    known = [row for row in found["statements"] if row["change_percent"] is not None]
    telling = [row for row in known if abs(row["change_percent"]) >= _EFFECT]
    for row in sorted(telling, key=lambda row: -row["change_percent"]):
        lines = f"{row['line']}" if row["line"] == row["end_line"] else f"{row['line']}–{row['end_line']}"
        change = f"{signed(row['change_percent'])} points"
        text = Text(one_line(row["text"], max(20, console.width - 34)))
        table.add_row(lines, text, change, style="green" if row["change_percent"] > 0 else "red")
    console.print(table, soft_wrap=False)
    for words, rows in (
        ("cannot run without", [row for row in found["statements"] if row["change_percent"] is None]),
        ("does the same without", [row for row in known if abs(row["change_percent"]) < _EFFECT]),
    ):
        if rows:
            lines = ", ".join(str(row["line"]) for row in rows)
            console.print(f"{words} the {count(len(rows), 'statement')} at {lines}", markup=False)
    console.print("line numbers: those of `show RUN CANDIDATE`; + is worse without the statement; effects of")
    console.print("nested statements include each other")
    console.print("loss: mean over validation instances, percent of max(|reference|, scale)")


# A candidate beside its simplified form.

_SLOWER = 1.5
"""Ratio to the original's CPU time from which a warning appears; a smaller ratio may be noise."""


def print_simplified(console: Console, document: Mapping[str, Any]) -> None:
    """Prints a candidate and its simplified form with gap, size and time."""
    word = gap_word(document["valid_before"]["reference_kinds"])
    table = new_table(f"candidate {document['candidate']}, {word} on the validation split")
    table.add_column("version", no_wrap=True)
    for column in (*columns(document), "statements", "nodes", "CPU ms"):
        table.add_column(column, justify="right")
    for row in rows(document):
        table.add_row(*row)
    console.print(table, soft_wrap=False)
    console.print(verdict(document), markup=False, soft_wrap=False)
    for row in document.get("never_true") or ():
        said = f"never true on a validation instance: line {row['line']}, if {row['condition']}"
        console.print(clean(said), markup=False, soft_wrap=False)


def columns(document: Mapping[str, Any]) -> tuple[str, str]:
    """What two columns of quality say: a gap and its interval, or a reported score and its change."""
    reported = "reported_score" in document["valid_before"]
    return ("reported score (unverified)", "change") if reported else ("mean gap", "95 % interval")


def _quality(figures: Mapping[str, Any]) -> tuple[str, str]:
    if "reported_score" in figures:
        score, _, change = reported_cell(figures).partition(" ")
        return score, change.strip("[]")
    return percent(figures["mean_gap_percent"]), spread(figures)


def rows(document: Mapping[str, Any]) -> list[tuple[str, str, str, str, str, str]]:
    """Rows of version, what `columns` names, statements, syntax-tree nodes, CPU milliseconds."""
    return [
        (
            name,
            *_quality(figures),
            str(document[f"statements_{when}"]),
            str(document[f"nodes_{when}"]),
            milliseconds(figures["cpu_seconds_median"]),
        )
        for name, when in (("as found", "before"), ("simplified", "after"))
        for figures in (document[f"valid_{when}"],)
    ]


def verdict(document: Mapping[str, Any]) -> str:
    """The result of a simplification and the test behind it, in words."""
    names = "; expressions that the field has a name for bear it" if document.get("renamed") else ""
    if not document["accepted"]:
        tried = document["tried"]
        if document["complete"]:
            return f"nothing can go: all of {tried} variants were worse or failed{names}"
        return f"the first {tried} variants were worse or failed; --evaluations tries more{names}"
    bounds = document["loss_difference_ci95_percent"]
    shown = "" if bounds is None else f" [{signed(bounds[0], '.3f')}, {signed(bounds[1], '.3f')}]"
    change = signed(document["loss_difference_percent"], ".3f")
    return (
        f"{document['accepted']} of {document['tried']} variants kept; mean loss changed by "
        f"{change} points{shown}, paired over validation instances; "
        "refused is a variant that is worse than the original at the one-sided level "
        f"{document['level']:g}{names}{_slower(document)}"
    )


def _slower(document: Mapping[str, Any]) -> str:
    """A warning if the simplified form is much slower, because a variant is never refused for its time."""
    before, after = (document[f"valid_{when}"]["cpu_seconds_median"] for when in ("before", "after"))
    if not before or not after or after < _SLOWER * before:
        return ""
    return f"; it takes {after / before:.1f} times the CPU time of the original (median of an execution)"
