"""Prints a campaign: its problem, its progress, and below them the table of gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...evolve.store.progress import best_so_far
from ...evolve.store.reader import Reader
from ...evolve.store.work import failures_by_status, stopped
from ...problems.base import SPLITS
from ..numbers import duration, interval, percent
from ..record.record import RunRecord
from ..record.reported import REPORTED, training_score
from ..record.seal import foreign_words
from ..record.summary import group_summary
from ..words import UNKNOWN, clean, count, counts, layers, sparkline, usd
from .advice import print_advice
from .champions import print_champions
from .tables import new_table, print_campaign

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_overview(console: Console, record: RunRecord, summary: Mapping[str, Any]) -> None:
    """Prints a run on about one screen.

    Args:
        console: console to print on.
        record: record of the run.
        summary: document of the run, as `summarise` returns it.
    """
    from rich.table import Table
    from rich.text import Text

    lines = Table.grid(padding=(0, 2))
    for name, text in overview_lines(record, summary):
        lines.add_row(Text(name, style="bold red" if name == "UNSAFE" else "bold"), Text(clean(text)))
    console.print(lines, soft_wrap=False)
    if summary["models"]:
        console.print()
        console.print(models_table(summary["models"]), soft_wrap=False)
    if summary["page"]:
        console.print("\nnotes of the models", style="bold")
        console.print(clean(summary["page"]), markup=False)
    if summary["best"] is None and not record.baselines():
        console.print("\nnothing was evaluated yet", markup=False)
        return
    print_campaign(console, summary)
    print_champions(console, summary)
    print_advice(console, summary)
    if summary["best"] is None:
        console.print("no feasible candidate", style="red")


def overview_lines(record: RunRecord, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines above the table, each as (word, text)."""
    problem, usage = record.problem, summary["usage"]
    reason = f" ({summary['stop_reason']})" if summary["stop_reason"] else ""
    lines = [("run", f"{record.name}, {summary['status']}{reason}")]
    if problem:
        goal = f"{problem.get('sense')} {problem.get('unit')}"
        lines.append(("problem", f"{problem.get('name')}, version {problem.get('version')}: {goal}"))
    started = (record.reader.record("created") or "")[:16].replace("T", " ")
    lines.append(("search", f"{record.models}, seed {summary['seed']}, started {started}"))
    rejected = sum(summary["rejections"].values())
    work = f"{count(summary['iterations'], 'iteration')}: {summary['evaluations']:,} candidates evaluated"
    lines.append(("work", work))
    if rejected:
        lines.append(("rejected", f"{count(rejected, 'proposal')}: {counts(summary['rejections'])}"))
    if failures := failures_by_status(record.reader):
        lines.append(("failed", f"{count(sum(failures.values()), 'candidate')}: {counts(failures)}"))
    if words := stopped_words(record.reader):
        lines.append(("stopped", words))
    cost = f"{duration(usage['wall_seconds'])} of search"
    if usage["model_calls"]:
        cost += f", {count(usage['model_calls'], 'call')}, {usage['tokens_in']:,} tokens in and "
        cost += f"{usage['tokens_out']:,} out, {usd(usage['cost_usd'])}"
    else:
        cost += ", no calls of models"
    lines.append(("cost", cost))
    lines += [("note", note) for note in summary["notes"]]
    if progress := best_so_far(record.reader):
        values = [fitness for _, _, fitness in progress]
        line = f"training fitness {values[0]:.4f} {sparkline(values, 24)} {values[-1]:.4f} (0 is optimal)"
        if summary["trust"] == REPORTED:
            first, last = (training_score(record.reader, values[place]) for place in (0, -1))
            line = f"training score {first:.5g} {sparkline(values, 24)} {last:.5g} (reported, unverified)"
        lines.append(("progress", line))
    if record.incomplete:
        lines.append(
            ("note", "the run was not closed and its folder cannot be written: the latest may be missing")
        )
    if summary["foreign"]:
        lines.append(("note", foreign_words()))
    if found := summary.get("layers"):
        lines.append(("sandbox", layers(found)))
    if switched_off := summary.get("unsafe_without"):
        lines.append(("UNSAFE", f"run without sandbox layer {', '.join(switched_off)}"))
    return lines


def models_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A table of the figures of each model and operator; see `model_figures`."""
    table = new_table("models: applied = replies that became candidates, improved = new bests")
    table.add_column("model, operator", overflow="fold")
    for column in ("calls", "share", "applied", "improved", "cost"):
        table.add_column(column, justify="right", no_wrap=True)
    with_total = {row["model"] for row in rows if row["operator"] is None}
    for row in rows:
        if row["operator"] is None:
            name = row["model"]
        else:
            name = f"{'' if row['model'] in with_total else row['model']}  {row['operator']}"
        rates = (row["share_percent"], row["apply_rate_percent"], row["improvement_rate_percent"])
        cells = [f"{row['calls']:,}", *(percent(rate, 0) for rate in rates), usd(row["cost_usd"])]
        table.add_row(clean(name), *cells)
    return table


def print_group(console: Console, name: str, documents: Sequence[Mapping[str, Any]]) -> None:
    """Prints the runs of a group: mean gap or score of their best candidates, with an interval over runs."""
    summary = group_summary(documents)
    reported = summary.get("trust") == REPORTED
    what = "reported score (unverified)" if reported else "gap, mean of ratios"
    table = new_table(f"group {name}: best candidate's {what}")
    for column in ("split", "runs", "mean over runs", "95 % interval over runs", "smallest", "largest"):
        table.add_column(column, justify="left" if column == "split" else "right")
    for split in SPLITS:
        row = summary[split]
        table.add_row(split, str(row["runs"]), *(_score_cells(row) if reported else _gap_cells(row)))
    console.print(table, soft_wrap=False)
    for document in documents:
        if (looks := document["test_evaluations"]) > 1:
            console.print(f"test seen {looks} times in {document['run']}", markup=False)


def _gap_cells(row: Mapping[str, Any]) -> list[str]:
    low, high = row["mean_gap_percent_range"] or (None, None)
    bounds = interval(row["mean_gap_ci95_percent"]) or UNKNOWN
    return [percent(row["mean_gap_percent"]), bounds, percent(low), percent(high)]


def _score_cells(row: Mapping[str, Any]) -> list[str]:
    score = row["reported_score"]
    low, high = score["range"] or (None, None)
    bounds = (
        UNKNOWN if score["ci95"] is None else "[" + ", ".join(f"{value:.5g}" for value in score["ci95"]) + "]"
    )
    mean, least, most = (UNKNOWN if v is None else f"{v:.5g}" for v in (score["mean"], low, high))
    return [mean, bounds, least, most]


def stopped_words(reader: Reader) -> str:
    """The candidates that racing stopped, in words; empty if there are none."""
    found = stopped(reader)
    if not found.candidates:
        return ""
    mean = found.executions / found.candidates
    return (
        f"{count(found.candidates, 'candidate')}, worse or like their parent, "
        f"after {mean:.1f} executions each"
    )
