"""`bench`: a run whose programs come from outside, one operation after another."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .budget import Budgeted, Limits, budget_of, duration_in_seconds, duration_or_none
from .options import (
    Force,
    Json,
    Problem,
    Run,
    Runs,
    Sentences,
    Set,
    Without,
    duration,
)
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from ..bench.workbench import Workbench

app = typer.Typer(
    cls=Sentences,
    no_args_is_help=True,
    help="Work on a problem by hand or by an agent: submit, probe, experiment, compare, then finish.",
)

Program = Annotated[
    Path, typer.Argument(metavar="FILE", help="A Python file, or - for standard input.", allow_dash=True)
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        parser=duration_or_none,
        metavar="TIME",
        help="Wall time to wait for another process at this workbench, as 10m, or 0 [default: 10m].",
        show_default=False,
    ),
]
WAIT = 600.0


def _read(path: Path) -> str:
    """The text of a file or of standard input."""
    import sys

    from ...sandbox.base import MAX_SOURCE_BYTES
    from ..errors import INVALID, UserError
    from .options import read_program

    if str(path) != "-":
        return next(iter(read_program(path).values()))
    try:
        return sys.stdin.buffer.read(MAX_SOURCE_BYTES + 1).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(INVALID, f"standard input: {error}, expected UTF-8 text") from error


def _bench(run: str, runs: Path | None, wait: float = WAIT) -> Workbench:
    from ..bench.workbench import Workbench
    from ..runs.folders import find_run, runs_folder

    return Workbench(find_run(run, runs_folder(runs)), wait)


def _say(document: dict[str, Any], json: bool) -> None:
    """Prints the answer of an operation."""
    if json:
        emit_json(document)
        return
    from ..views.bench import print_answer

    print_answer(console(), document)


@app.command("open", cls=Budgeted)
def open_(
    problem: Problem,
    limits: Limits = None,
    experiment_seconds: Annotated[
        float,
        typer.Option(
            "--experiment-seconds",
            parser=duration_or_none,
            metavar="TIME",
            help="CPU time of all experiments together, as 15m, or 0 [default: 15m].",
            show_default=False,
        ),
    ] = 900.0,
    fresh: Annotated[
        bool | None,
        typer.Option(
            "--fresh/--published",
            help="Validation and test instances of this run's own, or those of every run "
            "[default: own, where references are quick].",
            show_default=False,
        ),
    ] = None,
    time_budget: Annotated[
        float | None,
        typer.Option(
            "--time-budget", parser=duration, metavar="TIME", help="Most CPU time of a champion, as 10ms."
        ),
    ] = None,
    fronts: Annotated[
        str | None, typer.Option("--fronts", metavar="time", help="Keep the best program at each CPU time.")
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option("--start", metavar="FILE|NAME|RUN", help="Start program (repeatable)."),
    ] = None,
    instances: Annotated[
        list[str] | None,
        typer.Option("--instances", metavar="SET|FILE", help="A named set or your file, or three."),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Random seed of the search.")] = None,
    assign: Set = None,
    unsafe_without: Without = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Make a run that waits for programs; prints the task, the limits and the programs of the beginning."""
    with errors(json):
        from ...evolve.budget import DEFAULT_ITERATIONS
        from ...evolve.measures import TIME
        from ..bench.creation import open_bench
        from ..errors import USAGE, UserError
        from ..runs.folders import new_folder, new_name, runs_folder
        from .evaluate import progress_line
        from .options import build_config, start_programs

        if fronts not in (None, "time"):
            raise UserError(USAGE, f"--fronts {fronts}: expected time")
        budget = budget_of(limits)
        if not budget:
            budget = {"iterations": DEFAULT_ITERATIONS}
        config = build_config(
            problem,
            assign or [],
            budget=budget,
            without=unsafe_without,
            instances=instances,
            seed=seed,
            time_budget=time_budget,
            measures=[TIME, "size"] if fronts else None,
        )
        place = runs_folder(runs)
        programs = start_programs(start or [], place, config)
        name = new_name(Path(config.campaign.problem).stem, config.campaign.seed, time.time())
        with new_folder(place, name) as folder:
            document = open_bench(
                config,
                folder,
                start=programs or None,
                experiment_cpu_seconds=experiment_seconds,
                fresh=fresh,
                notify=progress_line(),
            )
        _say(document, json)


@app.command()
def submit(
    run: Run,
    file: Program,
    idea: Annotated[str, typer.Option("--idea", help="What the program changes, and why.")] = "",
    parent: Annotated[
        str | None,
        typer.Option("--parent", metavar="CANDIDATE", help="What it comes from [default: the best]."),
    ] = None,
    wait: Wait = WAIT,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Evaluate a program in training by race, and learn how it did; it enters the archive."""
    with errors(json):
        _say(_bench(run, runs, wait).submit(_read(file), idea, parent), json)


@app.command()
def probe(
    run: Run,
    file: Program,
    instance: Annotated[
        list[str] | None,
        typer.Option("--instance", metavar="ID", help="A training instance (repeatable) [default: one]."),
    ] = None,
    wait: Wait = WAIT,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Run a program on one or a few training instances: answer, time, prints, exception with its line."""
    with errors(json):
        _say(_bench(run, runs, wait).probe(_read(file), *(instance or ())), json)


@app.command()
def experiment(
    run: Run,
    file: Program,
    cpu_seconds: Annotated[
        float,
        typer.Option(
            "--cpu-seconds",
            parser=duration_in_seconds,
            metavar="TIME",
            help="CPU time that the script may use, as 90s or 2m [default: 1m].",
            show_default=False,
        ),
    ] = 60.0,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write the value as JSON, with its texts as they are."
        ),
    ] = None,
    force: Force = False,
    wait: Wait = WAIT,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Run a sealed script of your own with training instances and the objective: learn, fit, simulate."""
    with errors(json):
        from .terminal import check_new, write_new

        if output is not None:
            check_new(output, force)
        values: list[Any] = []
        document = _bench(run, runs, wait).experiment(_read(file), cpu_seconds, values.append)
        if output is not None and values:
            import json as documents

            write_new(output, documents.dumps(values[0]).encode(), force)
        _say(document, json)


@app.command()
def instance(
    run: Run,
    id: Annotated[
        str | None, typer.Argument(metavar="ID", help="A training instance; none lists all.")
    ] = None,
    page: Annotated[int, typer.Option("--page", min=1, help="Page of its text.")] = 1,
    draw: Annotated[bool, typer.Option("--draw", help="Draw the best answer so far as text.")] = False,
    wait: Wait = WAIT,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Show a training instance whole, with its reference and the best answer so far; or list all."""
    with errors(json):
        _say(_bench(run, runs, wait).instance(id, page, draw), json)


@app.command()
def compare(
    run: Run,
    a: Annotated[str, typer.Argument(metavar="A", help="A candidate, best, start or a baseline.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    wait: Wait = WAIT,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Compare two programs on training instances, paired, by group, with time."""
    with errors(json):
        _say(_bench(run, runs, wait).compare(a, b), json)


@app.command()
def read(
    run: Run,
    candidate: Annotated[
        str | None, typer.Argument(metavar="CANDIDATE", help="A candidate, best or start; none lists all.")
    ] = None,
    wait: Wait = WAIT,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Show a candidate's source, idea and scores in training; or list all candidates, losers too."""
    with errors(json):
        _say(_bench(run, runs, wait).read(candidate), json)


@app.command()
def note(
    run: Run,
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="What was learnt; none reads all notes.")
    ] = None,
    wait: Wait = WAIT,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Write down what was learnt, for whoever works at this run later."""
    with errors(json):
        _say(_bench(run, runs, wait).note(text), json)


@app.command()
def finish(run: Run, wait: Wait = WAIT, runs: Runs = None, json: Json = False) -> None:
    """Validate, choose the champion, test it once, write best.py and say where it is specialised."""
    with errors(json):
        from ..bench.completion import finish as end
        from ..formatting import clean
        from ..runs.folders import find_run, named_place, runs_folder
        from .evaluate import progress_line
        from .session import finish as results

        folder = find_run(run, runs_folder(runs))
        document = end(folder, wait, progress_line())
        results([document], None, json, named_place(folder, runs))
        if not json:
            from ..runs.record import open_record
            from ..views.bench import neighbour_lines

            with open_record(folder, checked=False) as record, record.reader.sound("neighbours"):
                lines = list(neighbour_lines(document["workbench"]["neighbours"]))
            for line in lines:
                console().print(clean(line), markup=False, soft_wrap=True)
