"""Measures the worth of each statement by leaving it out; apart, as it runs programs and a verb does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...evaluators.base import Evaluation
from ...sandbox.base import Statement
from ..runs.record import RunRecord
from ..setup.reruns import evaluate_variants

if TYPE_CHECKING:
    from ..setup.setup import Setup

SPLIT = "valid"
MOST = 60
"""Statements that are left out in turn (count); of longer programs the outermost ones."""


def explain(record: RunRecord, setup: Setup, id: str) -> dict[str, Any]:
    """Leaves out each statement of a candidate in turn and compares it with the start program.

    All figures are of the validation split: they explain the candidate and are no judgement of the search.
    """
    candidate = record.candidate(id)
    path, text = next(iter(candidate.files.items()))
    chosen = removable(text, candidate.description.statements)
    variants = [{**candidate.files, path: without(text, statement)} for statement in chosen]
    evaluations = evaluate_variants(setup, [candidate.files, *variants], SPLIT)
    whole = evaluations[0]
    rows = [
        _row(text, statement, whole, evaluation)
        for statement, evaluation in zip(chosen, evaluations[1:], strict=True)
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
    lone = []
    for s in statements:
        first = lines[s.line - 1].strip()
        inner = any(o is not s and o.line == s.line and o.end_line <= s.end_line for o in statements)
        shared = starts.count(s.line) > 1 and not inner
        if s.kind in ("FunctionDef", "ClassDef", "AsyncFunctionDef", "Pass") or shared:
            continue
        if s.kind == "Expr" and first.startswith(('"', "'", 'r"', "r'")):
            continue
        lone.append(s)
    return sorted(sorted(lone, key=lambda s: s.depth)[:MOST], key=lambda s: (s.line, -s.end_line))


def without(text: str, statement: Statement) -> str:
    """The text with a statement replaced by `pass`."""
    lines = text.split("\n")
    first = lines[statement.line - 1]
    indent = first[: len(first) - len(first.lstrip())]
    return "\n".join([*lines[: statement.line - 1], f"{indent}pass", *lines[statement.end_line :]])


def _row(text: str, statement: Statement, whole: Evaluation, other: Evaluation) -> dict[str, Any]:
    before = _loss(whole)
    after = _loss(other)
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
