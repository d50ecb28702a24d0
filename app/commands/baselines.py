"""`baselines`: the gaps of a problem's baselines."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import USAGE, UserError
from .evaluate import InstancesFrom, Split, open_one_set, print_unsafe, progress_line
from .options import Force, Json, Problem, Set, Without, Workers, parameters
from .terminal import check_new, console, emit_json, errors, write_new


def baselines(
    problem: Problem,
    split: Split = None,
    instances: InstancesFrom = None,
    csv: Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write the table as CSV.")] = None,
    force: Force = False,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="NAME", help="Baseline to count wins, ties and losses against."),
    ] = None,
    solver: Annotated[
        list[float] | None,
        typer.Option(
            "--solver",
            metavar="EFFORT",
            help="Also show the problem's solver, stopped after so many deterministic seconds (repeatable).",
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="NAME", help="Print one baseline's program; evaluate nothing."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write that program into a file.")
    ] = None,
    workers: Workers = None,
    assign: Set = None,
    unsafe_without: Without = None,
    json: Json = False,
) -> None:
    """The gap table of all baselines: overall and by stratum, both averages, CPU time."""
    with errors(json):
        from ..analysis.evaluate import baselines_document, write_csv

        if source is not None:
            _give_source(problem, source, output, force, assign, json)
            return
        if output is not None:
            raise UserError(USAGE, f"-o {output}: got no --source, expected the name of a baseline")
        if csv is not None:
            check_new(csv, force)
        setup, set_name = open_one_set(problem, split, instances, workers, assign, unsafe_without)
        document = baselines_document(setup, set_name, against, progress_line(), solver or ())
        if csv is not None:
            write_csv(document, csv)
        if json:
            emit_json(document)
            return
        from ...problems.base import Interactive
        from ..views.tables import print_figures

        out = console()
        title = f"{setup.loaded.name}, {document['instances_from']}"
        rows = {**document["baselines"], **document["solver"]}
        online = isinstance(setup.loaded.problem, Interactive)
        print_figures(out, title, rows, document["unit"], document["proofs"], online)
        if document["solver"]:
            words = "solver: one thread; its CPU time is that of solving, without start and model"
            out.print(words, markup=False)
        if document["against"] is not None:
            out.print(f"w/t/l: wins, ties, losses against {document['against']}, instances", markup=False)
        for name, entry in rows.items():
            if (why := entry["failure"]) is not None:
                words = f"{name} failed on {why['instance']}: {why['status']}: {why['message']}"
                out.print(words, markup=False)
        strata = {s for entry in document["baselines"].values() for s in entry["strata"]}
        if len(strata) > 1:
            _print_strata(document)
        print_unsafe(document)


def _give_source(
    problem: str, name: str, output: Path | None, force: bool, assign: list[str] | None, json: bool
) -> None:
    """Prints the program of a baseline or a start program, or writes it into a file."""
    from ..plugins.loader import load_problem
    from ..setup.baselines import shipped_programs
    from ..views.candidate import print_code

    programs = shipped_programs(load_problem(problem, parameters(assign)).problem)
    if name not in programs:
        near = difflib.get_close_matches(name, programs, 3, 0.6) or sorted(programs)
        raise UserError(USAGE, f"--source {name}: not a program of {problem}", f"expected {', '.join(near)}")
    if output is not None:
        write_new(output, programs[name], force)
    if json:
        written = None if output is None else str(output)
        emit_json({"problem": problem, "name": name, "source": programs[name], "written": written})
    elif output is not None:
        console().print(f"{output}: {name} of {problem}", markup=False)
    else:
        print_code(console(), programs[name])


def _print_strata(document: dict[str, Any]) -> None:
    """Mean gap of each baseline on each stratum."""
    from ..formatting import percent
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
