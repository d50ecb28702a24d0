"""What a candidate's statements are worth, and where it differs from its start program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Evaluation
from ...sandbox.base import Statement
from ..audit.again import again
from ..record.record import RunRecord
from .numbers import milliseconds, percent
from .tables import new_table
from .words import clean, count, one_line

if TYPE_CHECKING:
    from rich.console import Console

SPLIT = "valid"
MOST = 60
"""Statements that are left out in turn (count); of longer programs the outermost ones."""
_EFFECT = 0.005
"""Points below which a change of the loss is called none."""


def explain(record: RunRecord, id: str) -> dict[str, Any]:
    """Leaves out each statement of a candidate in turn and compares it with the start program.

    All is measured on the validation split: the figures say what the candidate does, they do not judge it.
    """
    candidate = record.candidate(id)
    path, text = next(iter(candidate.files.items()))
    chosen = removable(text, candidate.description.statements)
    variants = [{**candidate.files, path: without(text, statement)} for statement in chosen]
    found = again(record).evaluate([candidate.files, *variants], SPLIT)
    whole = found[0]
    rows = [
        _row(text, statement, whole, evaluation)
        for statement, evaluation in zip(chosen, found[1:], strict=True)
    ]
    return {
        "run": record.name,
        "candidate": id,
        "split": SPLIT,
        "loss_percent": _loss(whole),
        "statements": rows,
        "strata": _strata(record, id),
        "cpu_seconds_median": _cpu(record, id),
        "start_cpu_seconds_median": None if record.start is None else _cpu(record, record.start),
    }


def removable(text: str, statements: Sequence[Statement]) -> list[Statement]:
    """Statements that have their lines to themselves; docstrings, `pass` and whole functions stay."""
    lines = text.split("\n")
    starts = [s.line for s in statements]
    found = []
    for s in statements:
        first = lines[s.line - 1].strip()
        inner = any(o is not s and o.line == s.line and o.end_line <= s.end_line for o in statements)
        shared = starts.count(s.line) > 1 and not inner
        if s.kind in ("FunctionDef", "ClassDef", "AsyncFunctionDef", "Pass") or shared:
            continue
        if s.kind == "Expr" and first.startswith(('"', "'", 'r"', "r'")):
            continue
        found.append(s)
    return sorted(sorted(found, key=lambda s: s.depth)[:MOST], key=lambda s: (s.line, -s.end_line))


def without(text: str, statement: Statement) -> str:
    """The text with a statement replaced by `pass`."""
    lines = text.split("\n")
    first = lines[statement.line - 1]
    indent = first[: len(first) - len(first.lstrip())]
    return "\n".join([*lines[: statement.line - 1], f"{indent}pass", *lines[statement.end_line :]])


def _row(text: str, statement: Statement, whole: Evaluation, other: Evaluation) -> dict[str, Any]:
    before, after = _loss(whole), _loss(other)
    failure = other.failure
    return {
        "line": statement.line,
        "end_line": statement.end_line,
        "text": text.split("\n")[statement.line - 1].strip(),
        "status": "ok" if failure is None else failure.status.value,
        "loss_percent": after,
        "change_percent": None if before is None or after is None else after - before,
    }


def _loss(evaluation: Evaluation) -> float | None:
    return None if evaluation.fitness is None else -100 * evaluation.fitness + 0.0


def _cpu(record: RunRecord, id: str) -> float | None:
    figures = record.figures(id, SPLIT)
    return None if figures is None else figures.cpu_seconds_median


def _strata(record: RunRecord, id: str) -> list[dict[str, Any]]:
    """Mean gap by stratum of the candidate and of the start program, largest improvement first."""
    mine = record.strata(id, SPLIT)
    theirs = {} if record.start is None else record.strata(record.start, SPLIT)
    rows = [
        {
            "stratum": name,
            "gap_percent": figures.mean_gap_percent,
            "start_gap_percent": theirs[name].mean_gap_percent if name in theirs else None,
        }
        for name, figures in mine.items()
    ]

    def gain(row: dict[str, Any]) -> float:
        return (row["start_gap_percent"] or 0.0) - (row["gap_percent"] or 0.0)

    return sorted(rows, key=lambda row: (-gain(row), row["stratum"]))


def print_explanation(console: Console, found: Mapping[str, Any]) -> None:
    """An explanation in the terminal."""
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
        change = f"{row['change_percent']:+.2f} points"
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
