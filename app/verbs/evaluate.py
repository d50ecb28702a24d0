"""Verbs that score programs without a campaign: `evaluate` and `baselines`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import NO_CANDIDATE
from .common import Json, Set, Without, Workers, console, emit_json, errors, one_set
from .inspect import Force, check_new

if TYPE_CHECKING:
    from ..opening.setup import Setup

Split = Annotated[
    str | None, typer.Option("--split", help="train, valid or test [default: test].", show_default=False)
]
InstancesFrom = Annotated[
    str | None, typer.Option("--instances", metavar="SET|FILE", help="A named set, or a file of yours.")
]


_MOST_LISTED = 10
"""Instances (count) up to which each one's objective is printed, and reasons of failures that are."""


def register(app: typer.Typer) -> None:
    """Adds the verbs to the command line."""
    app.command("evaluate")(evaluate)
    app.command("baselines")(baselines)


def evaluate(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Python file that defines the entry point.")],
    split: Split = None,
    instances: InstancesFrom = None,
    with_baselines: Annotated[bool, typer.Option("--baselines", help="Put all baselines beside it.")] = False,
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="Write its answers as JSON lines.")
    ] = None,
    workers: Workers = None,
    assign: Set = None,
    unsafe_without: Without = None,
    json: Json = False,
) -> None:
    """Score a heuristic by the same path as every candidate."""
    with errors(json):
        from ..audit.evaluation import evaluate_program, write_answers
        from .flags import read_program

        setup, chosen = _open(problem, split, instances, workers, assign, unsafe_without)
        files = read_program(file)
        document = evaluate_program(setup, chosen, files, str(file), with_baselines)
        written = None if answers is None else write_answers(setup, chosen, files, answers)
        if json:
            emit_json(document)
        else:
            _print_evaluation(setup, document)
            if written is not None:
                console().print(f"{answers}: {written} answers, one a line", markup=False)
        if document["status"] != "ok":
            raise typer.Exit(NO_CANDIDATE)


def baselines(
    problem: Annotated[str, typer.Argument(metavar="PROBLEM")],
    split: Split = None,
    instances: InstancesFrom = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    force: Force = False,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="NAME", help="Baseline to count wins, ties and losses against."),
    ] = None,
    workers: Workers = None,
    assign: Set = None,
    unsafe_without: Without = None,
    json: Json = False,
) -> None:
    """The gap table of all baselines: overall and by stratum, both averages, CPU time."""
    with errors(json):
        from ..audit.evaluation import baselines_document, write_csv

        if csv is not None:
            check_new(csv, force)
        setup, chosen = _open(problem, split, instances, workers, assign, unsafe_without)
        document = baselines_document(setup, chosen, against, _progress)
        if csv is not None:
            write_csv(document, csv)
        if json:
            emit_json(document)
            return
        from ..views.tables import print_figures

        out = console()
        title = f"{setup.loaded.name}, {document['instances_from']}"
        print_figures(out, title, document["baselines"], document["unit"])
        if document["against"] is not None:
            out.print(f"w/t/l: wins, ties, losses against {document['against']}, instances", markup=False)
        for name, entry in document["baselines"].items():
            if (why := entry["failure"]) is not None:
                words = f"{name} failed on {why['instance']}: {why['status']}: {why['message']}"
                out.print(words, markup=False)
        strata = {s for entry in document["baselines"].values() for s in entry["strata"]}
        if len(strata) > 1:
            _print_strata(document)
        _print_unsafe(document)


def _open(
    problem: str,
    split: str | None,
    instances: str | None,
    workers: int | None,
    assign: list[str] | None,
    without: list[str] | None,
) -> tuple[Setup, str]:
    """A setup over one set or file, and the set's name in it."""
    from ..opening.draw import open_setup
    from ..opening.setup import names_file, open_problem
    from .flags import build_config

    config = build_config(problem, assign or [], workers=workers, without=without)
    name = one_set(split, instances) or "test"
    if names_file(name) and name not in open_problem(config).problem.sets():
        return open_setup(config, files=[Path(name)], notify=_progress), Path(name).name
    return open_setup(config, sets=[name], notify=_progress), name


def _progress(what: str, done: int, total: int) -> None:
    """One line on standard error, rewritten, in a terminal only."""
    import sys

    if sys.stderr.isatty() and total:
        sys.stderr.write(f"\r{what} {done}/{total}" + ("\r\033[K" if done >= total else ""))
        sys.stderr.flush()


def _plain(number: float) -> str:
    """An objective or reference: integers whole, others with six digits."""
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def _print_evaluation(setup: Setup, document: dict[str, Any]) -> None:
    from ..views.tables import print_figures

    out = console()
    rows = {Path(document["program"]).name: document["summary"], **(document["baselines"] or {})}
    unit = setup.loaded.problem.unit
    print_figures(out, f"{document['problem']}, {document['instances_from']}", rows, unit)
    failures = [row for row in document["instances"] if row["status"] != "ok"]
    scored = [row for row in document["instances"] if row["status"] == "ok"]
    if len(document["instances"]) <= _MOST_LISTED:
        for row in scored:
            gap = "no ratio" if row["gap_percent"] is None else f"{row['gap_percent']:.2f} %"
            out.print(
                f"{row['instance']}: {_plain(row['objective'])} {unit}, "
                f"{row['reference_kind']} {_plain(row['reference'])}, gap {gap}",
                markup=False,
            )
    alike: dict[str, list[str]] = {}
    for row in failures:
        alike.setdefault(f"{row['status']}: {row['message']}", []).append(row["instance"])
    for why, (first, *others) in list(alike.items())[:_MOST_LISTED]:
        more = f" and {len(others)} more" if others else ""
        out.print(f"{first}{more}: {why}", markup=False)
    if rest := sum(map(len, list(alike.values())[_MOST_LISTED:])):
        out.print(f"… and {rest} more instances without a gap", markup=False)
    if any(row["status"] == "beyond_bound" for row in failures):
        out.print("ALARM: better than a proven bound: the evaluator has a bug or was cheated")
    _print_unsafe(document)


def _print_unsafe(document: dict[str, Any]) -> None:
    from ..views.words import unsafe

    if document["unsafe_without"]:
        console().print(unsafe(document["unsafe_without"]), markup=False)


def _print_strata(document: dict[str, Any]) -> None:
    """Mean gap of each baseline on each stratum."""
    from ..views.numbers import percent
    from ..views.tables import new_table

    names = list(document["baselines"])
    strata = list(dict.fromkeys(s for n in names for s in document["baselines"][n]["strata"]))
    out = console()
    for part in _parts(names, out.width - max(map(len, strata))):
        table = new_table("mean of ratios by stratum, percent of the reference")
        table.add_column("stratum", overflow="fold")
        for name in part:
            table.add_column(name, justify="right", overflow="fold", min_width=_column(name))
        for stratum in strata:
            cells = [document["baselines"][n]["strata"].get(stratum) for n in part]
            table.add_row(stratum, *["–" if c is None else percent(c["mean_gap_percent"]) for c in cells])
        out.print(table)


def _parts(names: list[str], width: int) -> list[list[str]]:
    """Names in groups whose columns fit side by side, at least two to a group."""
    parts: list[list[str]] = [[]]
    for name in names:
        if len(parts[-1]) >= 2 and sum(2 + _column(n) for n in [*parts[-1], name]) > width:
            parts.append([])
        parts[-1].append(name)
    return parts


def _column(name: str) -> int:
    """Characters of a column of percentages with a program's name above."""
    from ..views.tables import WHOLE_NAME

    return min(max(len(name), len("100.00 %")), WHOLE_NAME)
