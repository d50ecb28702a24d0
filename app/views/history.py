"""How candidates differ and where they come from: diff, ancestry, rows for other programs."""

from __future__ import annotations

import csv
import difflib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from ..record.record import SHORT, RunRecord
from .numbers import percent
from .words import UNKNOWN, clean

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDE = 120
"""Columns from which a diff stands side by side."""

MOST_LINES = 1_000
"""Lines of a file that are compared: the time of a diff grows faster than their square."""

EXPORTS = {
    "candidates": (
        "SELECT c.id AS candidate, c.iteration, c.island, c.origin, c.operator, "
        "(SELECT json_group_array(parent) FROM parents p WHERE p.candidate = c.id) AS parents, "
        "json_extract(c.description, '$.nodes') AS nodes, i.added, t.status AS train_status, "
        "t.fitness AS train_fitness, t.cpu_seconds AS train_cpu_seconds, v.fitness AS valid_fitness, "
        "x.fitness AS test_fitness, c.files FROM candidates c LEFT JOIN iterations i ON i.candidate = c.id "
        "LEFT JOIN evaluations t ON t.program = c.id AND t.split = 'train' "
        "LEFT JOIN evaluations v ON v.program = c.id AND v.split = 'valid' "
        "LEFT JOIN evaluations x ON x.program = c.id AND x.split = 'test' ORDER BY c.iteration, c.id"
    ),
    "scores": (
        "SELECT e.program, e.split, i.name AS instance, i.stratum, x.status, x.objective, "
        "r.value AS reference, r.kind AS reference_kind, x.gap, x.excess, x.cpu_seconds, "
        "lower(hex(x.answer)) AS answer_digest, x.message "
        "FROM executions x JOIN evaluations e ON e.id = x.evaluation "
        "JOIN instances i ON i.id = x.instance JOIN instance_references r ON r.instance = i.id "
        "ORDER BY x.evaluation, x.position"
    ),
    "iterations": (
        "SELECT iteration, island, parents, inspirations, rival, candidate, origin, operator, rejection, "
        "excerpt, told, added FROM iterations ORDER BY iteration"
    ),
    "completions": (
        "SELECT c.*, p.system, p.user FROM calls c JOIN prompts p ON p.digest = c.prompt ORDER BY c.id"
    ),
    "events": "SELECT iteration, kind, data, at FROM events ORDER BY id",
}
"""What can be exported → its query. Objectives, references and gaps are exact texts (`12`, `7/3`)."""

CASSETTE = "cassette"
"""What models were asked and said, usable without the run: `--model replay/FILE.jsonl`."""

ELITES = "elites"
"""Who holds which cell of the archive at the end of the record."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NUMBER = re.compile(r"[+-]?(\d+(/\d+)?|\d*\.?\d+(e[+-]?\d+)?|inf)")
"""Exact numbers as they are stored: `-12`, `-7/3`, `-0.5`."""
_NESTED = ("files", "parents", "inspirations", "data", "parameters")


def rows(record: RunRecord, what: str) -> Iterator[dict[str, Any]]:
    """Rows of an export, one at a time."""
    if what == CASSETTE:
        from ..proposers import cassette_of

        yield from cassette_of(record.reader).rows()
        return
    if what == ELITES:
        yield from _elites(record)
        return
    for row in record.reader.stream(EXPORTS[what]):
        found = dict(zip(row.keys(), row, strict=True))
        for key in _NESTED:
            if found.get(key) is not None:
                with record.reader.sound(f"{what}, {key}"):
                    found[key] = json.loads(found[key])
        yield found


def _elites(record: RunRecord) -> Iterator[dict[str, Any]]:
    """One row for each filled cell of each island, best elite first."""
    for elite in record.archive.elites() if record.archive is not None else ():
        yield {
            "island": elite.island,
            "cell": list(elite.cell),
            "candidate": elite.candidate.id,
            "train_fitness": elite.fitness,
        }


def write_rows(found: Iterator[Mapping[str, Any]], form: str, stream: IO[str]) -> int:
    """Writes rows as JSON lines or CSV; returns how many. Nested values are JSON texts in CSV."""
    count = 0
    writer: Any = None
    for row in found:
        count += 1
        if form == "jsonl":
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            continue
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: _cell(value, stream.isatty()) for key, value in row.items()})
    return count


def _cell(value: Any, terminal: bool) -> Any:
    """A value of a CSV row; a terminal gets no control characters, a file gets the text as it is.

    What a spreadsheet would take for a formula gets an apostrophe: a model may have written it.
    """
    if isinstance(value, dict | list):
        return json.dumps(value)
    if not isinstance(value, str):
        return value
    text = clean(value) if terminal else value
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


def unified(record: RunRecord, a: str, b: str) -> str:
    """Unified diff of two candidates' files, control characters left out."""
    lines: list[str] = []
    for path, before, after in _pairs(record, a, b):
        lines += difflib.unified_diff(
            before, after, f"{a[:SHORT]}/{path}", f"{b[:SHORT]}/{path}", lineterm=""
        )
    return "\n".join(lines)


def _pairs(record: RunRecord, a: str, b: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """(path, lines of `a`, lines of `b`) of every file; long texts are cut, and a line says so."""
    first, second = record.candidate(a).files, record.candidate(b).files
    for path in dict.fromkeys([*first, *second]):
        yield path, _first_lines(first.get(path, "")), _first_lines(second.get(path, ""))


def _first_lines(text: str) -> list[str]:
    lines = clean(text).splitlines()
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES:,} more lines, not compared"]


def print_diff(console: Console, record: RunRecord, a: str, b: str) -> None:
    """Two candidates compared: side by side where there is room, else as a unified diff."""
    console.print(f"{_line(record, a)}\n{_line(record, b)}", markup=False, soft_wrap=False)
    text = unified(record, a, b)
    if not text:
        console.print("the same text", markup=False)
    elif console.width >= WIDE:
        console.print(_side_by_side(record, a, b), soft_wrap=False)
    else:
        from rich.text import Text

        styles = {"+": "green", "-": "red", "@": "cyan"}
        for line in text.splitlines():
            console.print(Text(line, style=styles.get(line[:1], "")), soft_wrap=True)


def _line(record: RunRecord, id: str) -> str:
    candidate = record.candidate(id)
    made = clean(candidate.operator or candidate.origin.value)
    return f"{id[:SHORT]}  {made}, iteration {candidate.iteration}, training loss {percent(loss(record, id))}"


def loss(record: RunRecord, id: str) -> float | None:
    """Training loss, −100 × fitness (percent of max(|reference|, scale)); None of a failed candidate."""
    query = "SELECT fitness FROM evaluations WHERE program = ? AND split = 'train'"
    fitness = record.reader.value(query, (id,))
    return None if fitness is None else -100 * fitness + 0.0


def _side_by_side(record: RunRecord, a: str, b: str) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column(a[:SHORT], ratio=1, overflow="fold")
    table.add_column(b[:SHORT], ratio=1, overflow="fold")
    for _, left, right in _pairs(record, a, b):
        for tag, i, j, k, m in difflib.SequenceMatcher(None, left, right).get_opcodes():
            styles = ("", "") if tag == "equal" else ("red", "green")
            for n in range(max(j - i, m - k)):
                mine = left[i + n] if i + n < j else ""
                other = right[k + n] if k + n < m else ""
                table.add_row(Text(mine, style=styles[0]), Text(other, style=styles[1]))
    return table


def ancestry(record: RunRecord, id: str) -> list[dict[str, Any]]:
    """First parents back to a start program, oldest first, with what each step changed."""
    found: list[dict[str, Any]] = []
    for candidate in record.lineage(id):
        now = loss(record, candidate.id)
        before = found[-1]["training_loss_percent"] if found else None
        found.append(
            {
                "candidate": candidate.id,
                "iteration": candidate.iteration,
                "origin": candidate.origin.value,
                "operator": candidate.operator,
                "other_parents": list(candidate.parents[1:]),
                "training_loss_percent": now,
                "change_percent": None if now is None or before is None else now - before,
            }
        )
    return found


def print_ancestry(console: Console, steps: Sequence[Mapping[str, Any]]) -> None:
    """Ancestry as a tree, start program at its root, one line a step."""
    from rich.text import Text

    for depth, step in enumerate(steps):
        stem = "" if not depth else "└ "
        made = (
            step["origin"]
            if step["operator"] in ("", step["origin"])
            else f"{step['origin']}: {step['operator']}"
        )
        change = step["change_percent"]
        text = Text(f"{stem}{step['candidate'][:SHORT]}  iteration {step['iteration']:>5}  ")
        text.append(f"loss {percent(step['training_loss_percent']):>9}  ")
        style = "" if not change else "green" if change < 0 else "red"
        text.append(f"{UNKNOWN if change is None else f'{change:+.2f}':>7}  ", style=style)
        text.append(clean(made))
        if step["other_parents"]:
            text.append(f" (with {', '.join(p[:SHORT] for p in step['other_parents'])})")
        console.print(text, soft_wrap=False)
    console.print("loss: mean over training instances, percent of max(|reference|, scale); change in points")
