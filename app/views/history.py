"""Differences between candidates, the ancestry of one, and who wins on which stratum."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...evaluators.base import losses_of
from ...evolve.store.progress import training_fitness
from ...evolve.types import unique
from ..errors import NO_CANDIDATE, UserError
from ..formatting import UNKNOWN, clean, count, one_line, percent, signed
from ..runs.figures import LOSS, REPORTED, training_score, trust
from ..runs.record import SHORT, RunRecord
from .tables import new_table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


WIDE = 120
"""From this many columns on, a diff shows both candidates side by side."""

MOST_LINES = 1_000
"""Largest number of lines compared in a file: the time of a diff grows faster than their square."""


def unified(record: RunRecord, a: str, b: str) -> str:
    """Unified diff of two candidates' files, without control characters."""
    lines: list[str] = []
    for path, before, after in _pairs(record, a, b):
        lines += difflib.unified_diff(
            before, after, f"{a[:SHORT]}/{path}", f"{b[:SHORT]}/{path}", lineterm=""
        )
    return "\n".join(lines)


def _pairs(record: RunRecord, a: str, b: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields (path, lines of `a`, lines of `b`) for every file; a last line says so if a file is cut."""
    first = record.candidate(a).files
    second = record.candidate(b).files
    for path in dict.fromkeys([*first, *second]):
        yield path, _first_lines(first.get(path, "")), _first_lines(second.get(path, ""))


def _first_lines(text: str) -> list[str]:
    lines = clean(text).splitlines()
    if len(lines) <= MOST_LINES:
        return lines
    return [*lines[:MOST_LINES], f"… {len(lines) - MOST_LINES:,} more lines, not compared"]


def print_diff(console: Console, record: RunRecord, a: str, b: str) -> None:
    """Prints the differences of two candidates: side by side on a wide console, else as a unified diff."""
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
    value = f"loss {percent(loss(record, id))}"
    if trust(record.reader) == REPORTED:
        value = f"score {_score(record, id)} (unverified)"
    return f"{id[:SHORT]}  {made}, iteration {candidate.iteration}, training {value}"


def _score(record: RunRecord, id: str) -> str:
    """A candidate's reported score on training, as text."""
    score = training_score(record.reader, training_fitness(record.reader, id))
    return UNKNOWN if score is None else f"{score:.5g}"


def loss(record: RunRecord, id: str) -> float | None:
    """Training loss, −100 × fitness (percent of max(|reference|, scale)); None for a failed candidate."""
    fitness = training_fitness(record.reader, id)
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
    """The chain of first parents, oldest first, with the change of the training loss at each step."""
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
                "idea": candidate.idea,
                "other_parents": list(candidate.parents[1:]),
                "training_loss_percent": now,
                "change_percent": None if now is None or before is None else now - before,
            }
        )
    return found


def print_ancestry(console: Console, steps: Sequence[Mapping[str, Any]], reported: bool = False) -> None:
    """Prints an ancestry as a tree, one line for each step, with the start program as its root.

    Args:
        console: to print on.
        steps: as `ancestry` returns them.
        reported: whether the scores were only reported.
    """
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
        text.append(f"{UNKNOWN if change is None else signed(change):>7}  ", style=style)
        text.append(clean(made))
        if step["other_parents"]:
            text.append(f" (with {', '.join(p[:SHORT] for p in step['other_parents'])})")
        console.print(text, soft_wrap=False)
        if step["idea"]:
            console.print(Text(f"  {one_line(step['idea'], 400)}", style="dim"), soft_wrap=False)
    meaning = "loss: mean over training instances, percent of max(|reference|, scale)"
    console.print(f"{LOSS if reported else meaning}; change in points", markup=False)


# The elite with the smallest loss on each stratum and on each training instance.


def winners(record: RunRecord) -> dict[str, Any]:
    """The best elite of each stratum and instance beside the best candidate, on the training split.

    Losses are in percent of max(|reference|, scale), so that instances with reference 0 count. Ties go to the
    best candidate, then to the elite that is better overall, so another winner means a smaller loss.

    Raises:
        UserError: no candidate is feasible.
    """
    archive = record.archive
    best = record.best
    if archive is None or best is None:
        raise UserError(
            NO_CANDIDATE,
            f"{record.name}: no feasible candidate yet",
            f"see why with `gapsmith show {shlex.quote(record.name)}`",
        )
    elites = [elite.candidate.id for elite in unique(archive.elites())]
    losses = {
        id: found
        for id in dict.fromkeys([best, *elites])
        if (found := _losses(record, id, archive.space.loss))
    }
    strata: dict[str, list[str]] = {}
    for id in losses[best]:
        strata.setdefault(record.instances[id].stratum, []).append(id)
    instances = [
        {"instance": id, "stratum": record.instances[id].stratum, **_best(losses, best, [id])}
        for id in losses[best]
    ]
    return {
        "run": record.name,
        "split": "train",
        "best": best,
        "elites": len(elites),
        "loss_percent": _mean(losses[best], list(losses[best])),
        "best_of_all_loss_percent": sum(row["loss_percent"] for row in instances) / len(instances),
        "strata": [
            {
                "stratum": name,
                "instances": len(ids),
                **_best(losses, best, ids),
                "better_on": sum(row["candidate"] != best for row in instances if row["stratum"] == name),
            }
            for name, ids in sorted(strata.items())
        ],
        "instances": instances,
    }


def _losses(record: RunRecord, id: str, loss: Any) -> dict[str, float]:
    """Instance → loss in percent; empty for a candidate without a complete training evaluation."""
    evaluation = record.evaluation(id, "train")
    if evaluation is None or evaluation.fitness is None:
        return {}
    return {instance: 100 * value for instance, value in losses_of(evaluation, loss).items()}


def _best(losses: Mapping[str, Mapping[str, float]], best: str, ids: Sequence[str]) -> dict[str, Any]:
    """The candidate with the smallest mean loss on some instances; of equals, the first in `losses`."""
    means = {id: _mean(found, ids) for id, found in losses.items()}
    winner = min(means, key=lambda id: means[id])
    return {"candidate": winner, "loss_percent": means[winner], "best_loss_percent": means[best]}


def _mean(found: Mapping[str, float], ids: Sequence[str]) -> float:
    return sum(found[id] for id in ids) / len(ids)


def print_winners(console: Console, found: Mapping[str, Any]) -> None:
    """Prints the best elite of each stratum, one row for each."""
    table = new_table(
        f"best elite of each stratum: {count(found['elites'], 'elite')}, training loss by stratum"
    )
    table.add_column("stratum", overflow="fold")
    table.add_column("best elite", no_wrap=True)
    for column in ("its loss", "champion's", "others better on"):
        table.add_column(column, justify="right", no_wrap=True)
    for row in found["strata"]:
        own = row["candidate"] == found["best"]
        table.add_row(
            row["stratum"],
            "champion" if own else row["candidate"][:SHORT],
            percent(row["loss_percent"]),
            percent(row["best_loss_percent"]),
            f"{row['better_on']} of {row['instances']}",
            style=None if own else "bold",
        )
    console.print(table, soft_wrap=False)
    console.print(clean(verdict(found)), markup=False, soft_wrap=False)


def verdict(found: Mapping[str, Any]) -> str:
    """The loss if each instance had its best elite, beside the champion's loss, in words."""
    other = {row["candidate"] for row in found["instances"]} - {found["best"]}
    return (
        f"loss: percent of max(|reference|, scale). Champion {found['best'][:SHORT]} alone: "
        f"{percent(found['loss_percent'])}; with {count(len(other), 'other elite')}, always the best for the "
        f"instance: {percent(found['best_of_all_loss_percent'])}"
    )
