"""Prints a campaign, its champions and advice, and the list of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...evolve.store.progress import best_so_far
from ...evolve.store.reader import Reader
from ...evolve.store.statistics import failures_by_status, stopped
from ...evolve.timing import edge, time_class
from ...problems.base import SPLITS
from ..formatting import (
    UNKNOWN,
    clean,
    count,
    counts,
    duration,
    figure,
    gap_cell,
    interval,
    layers,
    one_line,
    percent,
    sparkline,
    time_words,
    usd,
)
from ..runs.champions import best_baseline_name
from ..runs.figures import REPORTED, training_score
from ..runs.record import RunRecord
from ..runs.signature import foreign_words
from ..runs.summary import group_summary
from .tables import new_table, print_campaign

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


# The list of runs as a table.

_WIDE = 100
"""From this many columns on, the table shows when each run started."""
_MODEL_COLUMNS = (12, 40)
"""Largest length of the models' names in a narrow and in a wide table, characters."""
_LONGEST_NAME = 255
_STYLES = {
    "preparing": "green",
    "running": "green",
    "open": "cyan",
    "completed": "",
    "stopped": "yellow",
    "interrupted": "yellow",
    "unreadable": "red",
}


def runs_table(rows: Sequence[Mapping[str, Any]], width: int) -> tuple[Table, list[str]]:
    """A table of runs, oldest first, with the best candidate's gap on validation; and the columns left out.

    Run, iterations, gap and status are never cut. A narrow table drops the start time first, then the
    problem (a run's name contains it), then the model.
    """
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    wide = width >= _WIDE
    names = "best gap (valid)" if wide else "best gap", "iterations" if wide else "iter."
    most = _MODEL_COLUMNS[wide]
    columns = {
        "run": [Text(one_line(row["run"], _LONGEST_NAME)) for row in rows],
        "problem": [Text(one_line(row["problem"] or UNKNOWN, _LONGEST_NAME)) for row in rows],
        "model": [Text(one_line(row["model"] or UNKNOWN, most)) for row in rows],
        names[1]: [Text(UNKNOWN if (n := row["iterations"]) is None else f"{n:,}") for row in rows],
        names[0]: [Text(_best(row)) for row in rows],
        "status": [_status(row) for row in rows],
        "started": [Text(one_line(row["started"] or UNKNOWN, 60)[:16].replace("T", " ")) for row in rows],
    }
    every = list(columns)
    if not wide:
        del columns["started"]
    for header in ("started", "problem", "model"):
        if sum(2 + max(map(cell_len, [h, *map(str, cells)])) for h, cells in columns.items()) - 2 > width:
            columns.pop(header, None)
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for header in columns:  # a run's name wraps rather than being cut, since users copy it
        justify: Literal["right", "left"] = "right" if header in names else "left"
        table.add_column(header, justify=justify, no_wrap=header != "run", overflow="fold")
    for cells in zip(*columns.values(), strict=True):
        table.add_row(*cells)
    return table, [header for header in every if header not in columns]


def _best(row: Mapping[str, Any]) -> str:
    """A run's best gap, or its best score where that is only reported."""
    if row.get("trust") != REPORTED:
        return percent(row["best_gap_percent"])
    score = row["best_reported_score"]
    return UNKNOWN if score is None else f"score {score:.5g}, unverified"


def _status(row: Mapping[str, Any]) -> Text:
    from rich.text import Text

    marks = (" foreign" if row["foreign"] else "") + (" UNSAFE" if row["unsafe_without"] else "")
    return Text(row["status"] + marks, style=_STYLES[row["status"]])


# Prints the champions of the time classes, with what a proof costs among them.

COLUMNS = ("time", "program", "validation", "test", "takes")


def print_champions(console: Console, summary: Mapping[str, Any]) -> None:
    """Prints one row for each champion, fastest first, among them the solver and the exact method."""
    rows = champion_rows(summary)
    if not rows:
        return
    table = new_table("best at its time: mean CPU of an instance, gap in percent")
    for title in COLUMNS:
        if title == "program":
            table.add_column(title, overflow="fold")
        else:
            table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table, soft_wrap=False)
    for line in champion_notes(summary):
        console.print(line, markup=False)


def champion_rows(summary: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The cells of the table, fastest row first: champions, the stopped solver, and the proof.

    A bound that knows the future is no rival of a rule that does not, so it has no row.

    There are none where no program is valid everywhere on validation. Nor are there any of reported scores,
    because an evaluator's time is not a program's.
    """
    if summary.get("trust") == REPORTED or not summary["champions"]:
        return []
    rows = [
        *(
            (row["time_seconds"], _row(row, row["baseline"] or row["candidate"][:8]))
            for row in summary["champions"]
        ),
        *((row["time_seconds"], _row(row, row["solver"])) for row in summary["solver"]),
    ]
    if (proof := summary["proof"]) is not None and not summary["knows_future"]:
        rows.append((proof["seconds_median"], _proof_row(proof)))
    return [cells for _, cells in sorted(rows, key=lambda row: row[0])]


def champion_notes(summary: Mapping[str, Any]) -> list[str]:
    """How the table is to be read, in words."""
    floor = (summary["timing"] or {}).get("floor_seconds")
    above = "" if not floor else f" above the sandbox's {time_words(floor)}"
    lines = [
        f"time: mean CPU of an execution{above}",
        "a slower program is named only where it is better beyond noise on validation",
    ]
    lines += _without_row(summary, floor or 0.0)
    if (limit := summary["time_budget_seconds"]) is not None:
        lines.append(f"time budget: no champion takes more than {time_words(limit)}")
    if summary["steered_by_time"]:
        lines.append("time steers this search: `replay` holds, another machine takes another course")
    if summary["solver"]:
        lines.append(
            "solver: stopped after so many deterministic seconds, one thread, start and model not counted"
        )
    proof = summary["proof"]
    if summary["knows_future"]:
        lines += _bound_lines(summary, proof)
    elif proof is not None:
        lines.append(
            f"proof: {proof['proven']} of {proof['instances']} validation instances, 90 % of them within "
            f"{time_words(proof['seconds_p90'])} of wall time"
        )
    return lines


def _bound_lines(summary: Mapping[str, Any], proof: Mapping[str, Any] | None) -> list[str]:
    """What stands in place of a proof where no program can have the reference, and what is attainable."""
    lines = ["bound that knows the future: no online rule has to attain it"]
    if proof is not None:
        takes = time_words(proof["seconds_median"])
        lines.append(f"the bound takes {takes} of wall time: {', '.join(proof['methods'])}")
    if (name := best_baseline_name({**summary, "time_budget_seconds": None})) is not None:
        figures = summary["baselines"][name]
        split = "test" if figures["test"] else "valid"
        word = "test" if split == "test" else "validation"
        lines.append(f"attainable: baseline {name} has {gap_cell(figures[split])} on {word}")
    return lines


def _without_row(summary: Mapping[str, Any], floor: float) -> list[str]:
    """What the campaign's best takes (CPU seconds above `floor`), if the best is valid and has no row."""
    best = summary["best"]
    rows = summary["champions"]
    if best is None or not rows or any(row["candidate"] == best["candidate"] for row in rows):
        return []
    valid = best["splits"]["valid"]
    if valid is None or valid["fitness"] is None or valid["failed"]:
        return []
    takes = time_words(max(0.0, valid["cpu_seconds_mean"] - floor))
    return [f"best {best['candidate'][:8]} takes {takes}; a program above is no worse within noise"]


def _row(row: Mapping[str, Any], name: str) -> tuple[str, ...]:
    last = edge(time_class(row["time_seconds"]))
    splits = row["splits"]
    return (
        UNKNOWN if last is None else f"≤ {time_words(last)}",
        name,
        gap_cell(splits["valid"]),
        gap_cell(splits["test"]) if splits["test"] else UNKNOWN,
        time_words(row["time_seconds"]),
    )


def _proof_row(proof: Mapping[str, Any]) -> tuple[str, ...]:
    takes = time_words(proof["seconds_median"])
    return ("proof", ", ".join(proof["methods"]), figure(0.0), figure(0.0), takes)


# Prints what to try after a campaign that beat no baseline.


def _names_run(command: str, summary: Mapping[str, Any]) -> bool:
    return command.startswith("gapsmith ") and str(summary["run"]) in command


def print_advice(console: Console, summary: Mapping[str, Any], where: str = "") -> None:
    """Prints each fact with its command below it.

    Args:
        console: console to print on.
        summary: document of the run, as `summarise` returns it.
        where: option that names the folder of the runs, with a blank before it; empty for the default one.
    """
    if summary["advice"]:
        console.print("what to try next", style="bold")
    for line in summary["advice"]:
        command = line["command"] + (where if _names_run(line["command"], summary) else "")
        console.print(clean(f"{line['reason']}:"), markup=False)
        console.print(clean(f"  {command}"), markup=False, soft_wrap=True)


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


def looks_words(workbench: Mapping[str, Any]) -> str:
    """How often a workbench was used, by operation, and the CPU time of its experiments."""
    made = {kind: number for kind, number in workbench["operations"].items() if number}
    used, allowed = workbench["experiment_cpu_seconds"]
    words = ", ".join(f"{number:,} {kind}" for kind, number in made.items()) or "none yet"
    spent = f"; experiments used {used:.3g} CPU s" + ("" if allowed is None else f" of {allowed:g}")
    return f"operations of the workbench: {words}" + (spent if used else "")


def overview_lines(record: RunRecord, summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The lines above the table, each as (word, text)."""
    problem = record.problem
    usage = summary["usage"]
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
    lines += [("looks", looks_words(summary["workbench"]))] if "workbench" in summary else []
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
