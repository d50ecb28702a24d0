"""`evaluate`: score a program without a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import NO_CANDIDATE, USAGE, UserError
from .options import Json, Problem, Runs, Set, Without, Workers, one_set
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...evaluators.base import Reference
    from ..setup.setup import Notify, Setup

Split = Annotated[
    str | None, typer.Option("--split", help="train, valid or test [default: test].", show_default=False)
]


InstancesFrom = Annotated[
    str | None, typer.Option("--instances", metavar="SET|FILE", help="A named set, or a file of yours.")
]


_PLAIN_SECONDS = 30.0
"""Between two lines of progress where there is no terminal."""
MOST_LISTED = 10
"""Most instances whose objectives are printed one by one, and most failures that are (counts)."""


def evaluate(
    problem: Problem,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A Python file that defines the entry point.")],
    split: Split = None,
    instances: InstancesFrom = None,
    with_baselines: Annotated[bool, typer.Option("--baselines", help="Put all baselines beside it.")] = False,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="FILE|CANDIDATE",
            help="Compare it, instance by instance, with a file, a program of the problem, or RUN/CANDIDATE.",
        ),
    ] = None,
    answers: Annotated[
        Path | None, typer.Option("--answers", metavar="FILE", help="Write its answers: JSON lines, or CSV.")
    ] = None,
    workers: Workers = None,
    assign: Set = None,
    unsafe_without: Without = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Score a heuristic by the same path as every candidate."""
    with errors(json):
        from ..analysis.evaluate import evaluate_program, write_answers
        from ..runs.folders import runs_folder
        from .options import read_program

        setup, set_name = open_one_set(problem, split, instances, workers, assign, unsafe_without)
        files = read_program(file)
        rival = None if against is None else (against, _rival(setup, against, runs_folder(runs)))
        notify = progress_line()
        document = evaluate_program(setup, set_name, files, str(file), with_baselines, notify, rival)
        written = None if answers is None else write_answers(setup, set_name, files, answers)
        if json:
            emit_json(document)
        else:
            _print_evaluation(setup, document)
            if written is not None:
                console().print(f"{answers}: {written} answers", markup=False)
        if document["status"] != "ok":
            raise typer.Exit(NO_CANDIDATE)


def _rival(setup: Setup, text: str, runs: Path) -> dict[str, str]:
    """The files of the program that `--against` names.

    Raises:
        UserError: it names none.
    """
    from ...sandbox.base import MAIN_FILE
    from ..runs.folders import find_run
    from ..runs.record import open_record
    from ..setup.baselines import shipped_programs
    from .options import read_program

    shipped = shipped_programs(setup.loaded.problem)
    if Path(text).is_file():
        return read_program(Path(text))
    if text in shipped:
        return {MAIN_FILE: shipped[text]}
    run, slash, candidate = text.rpartition("/")
    if not slash or not run or text.endswith(".py"):
        raise UserError(
            USAGE,
            f"--against {text}: no file and no program of the problem",
            f"a file, RUN/CANDIDATE such as latest/best, or one of {', '.join(shipped)}",
        )
    with open_record(find_run(run, runs)) as record:
        return dict(record.candidate(record.resolve(candidate)).files)


def open_one_set(
    problem: str,
    split: str | None,
    instances: str | None,
    workers: int | str | None,
    assign: list[str] | None,
    without: list[str] | None,
) -> tuple[Setup, str]:
    """A setup over one set or file, and the set's name in it."""
    from ..runs.record import references_of
    from ..setup.prepare import setup_of_problem
    from .options import build_config

    config = build_config(problem, assign or [], workers=workers, without=without, unused=False)
    name = one_set(split, instances) or "test"
    given = references_of(Path(problem))
    setup = setup_of_problem(config, sets=[name], notify=progress_line(), given=given)
    if given:
        _say_references(setup, Path(problem).parent.name, given)
    return setup, setup.instances_from


def _say_references(setup: Setup, run: str, given: Mapping[str, Reference]) -> None:
    """Says on standard error that a run's own references are used, and how many the cache has otherwise."""
    from ..formatting import clean
    from ..setup.instances import book_of

    instances = list(setup.evaluator.instances(setup.instances_from).values())
    own = [instance for instance in instances if instance.digest in given]
    if not own or setup.loaded.references is None:
        return
    book = book_of(setup.loaded, setup.cache)
    cached = [(book.get(instance, 0.0), given[instance.digest]) for instance in own]
    other = sum(now is not None and now.value != before.value for now, before in cached)
    seconds = setup.config.evaluation.reference_seconds
    words = f"references: those of run {run} ({seconds:g} s each) on {len(own)} of {len(instances)} instances"
    if other:
        words += f"; {other} of them differ from the cache, where others were computed since"
    console(stderr=True).print(clean(words), markup=False, soft_wrap=True)


def progress_line() -> Notify:
    """Shows how far a step is on standard error: one line, rewritten; elsewhere than in a terminal, what
    references are to be computed, and again each half minute.
    """
    import sys
    import time

    from ..views.live import StepPace

    pace = StepPace()
    said = dict[str, float]()

    def show(what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if not sys.stderr.isatty():
            several = total - done > 1 and what.startswith("references")  # one alone is there in a moment
            if several and now - said.get(what, -1e9) > _PLAIN_SECONDS:
                said[what] = now
                sys.stderr.write(f"{what}: {done} of {total} there, the others are computed\n")
                sys.stderr.flush()
        elif total:
            sys.stderr.write(f"\r{pace.text(what, done, total)}\033[K" if done < total else "\r\033[K")
            sys.stderr.flush()

    return show


def _plain(number: float) -> str:
    """An objective or reference: integers whole, others with six digits."""
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def _print_evaluation(setup: Setup, document: dict[str, Any]) -> None:
    from ...problems.base import Interactive
    from ..formatting import percent
    from ..views.tables import print_experiment, print_figures

    out = console()
    rows = {Path(document["program"]).name: document["summary"], **(document["baselines"] or {})}
    problem = setup.loaded.problem
    title = f"{document['problem']}, {document['instances_from']}"
    unit = problem.unit
    print_figures(out, title, rows, unit, document["proofs"], isinstance(problem, Interactive))
    print_experiment(out, document)
    failures = [row for row in document["instances"] if row["status"] != "ok"]
    scored = [row for row in document["instances"] if row["status"] == "ok"]
    if len(document["instances"]) <= MOST_LISTED:
        for row in scored:
            gap = "no ratio" if row["gap_percent"] is None else percent(row["gap_percent"])
            beside = f"{row['reference_kind']} {_plain(row['reference'])}, gap {gap}"
            if row["reference_kind"] == "reported":
                beside = f"start program {_plain(row['reference'])}"
            out.print(f"{row['instance']}: {_plain(row['objective'])} {unit}, {beside}", markup=False)
    alike: dict[str, list[str]] = {}
    for row in failures:
        alike.setdefault(f"{row['status']}: {row['message']}", []).append(row["instance"])
    for why, (first, *others) in list(alike.items())[:MOST_LISTED]:
        more = f" and {len(others)} more" if others else ""
        out.print(f"{first}{more}: {why}", markup=False)
    if rest := sum(map(len, list(alike.values())[MOST_LISTED:])):
        out.print(f"… and {rest} more instances without a gap", markup=False)
    if any(row["status"] == "beyond_bound" for row in failures):
        out.print("ALARM: better than a proven bound: the evaluator has a bug or was cheated")
    print_unsafe(document)


def print_unsafe(document: dict[str, Any]) -> None:
    """Prints which layers of the sandbox were off, if any."""
    from ..formatting import unsafe

    if document["unsafe_without"]:
        console().print(unsafe(document["unsafe_without"]), markup=False)
