"""Verbs that look at runs: `list`, `show`, `best`; those that follow a run over time stand in `history`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from ..errors import NO_CANDIDATE, USAGE, UserError, unwritable
from .common import Json, Runs, console, emit_json, errors, opened

if TYPE_CHECKING:
    from ..record.record import RunRecord

Run = Annotated[str, typer.Argument(metavar="RUN", help="Folder, name, unambiguous prefix, or latest.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]


def register(app: typer.Typer) -> None:
    """Adds the verbs to the command line."""
    app.command("list")(list_)
    app.command("show")(show)
    app.command("best")(best)
    from . import compare, history, housekeeping, simplify

    for verbs in (history, compare, simplify, housekeeping):
        verbs.register(app)


def list_(runs: Runs = None, json: Json = False) -> None:
    """List the runs with problem, model, iterations, best gap and status."""
    with errors(json):
        from ..record.runs import all_runs, runs_folder
        from ..views.listing import run_row, runs_table

        folder = runs_folder(runs)
        rows = [run_row(run) for run in all_runs(folder)]
        if json:
            emit_json(rows)
            return
        out = console()
        if not rows:
            out.print(f"no runs in {folder}; start one with `gapsmith run smtt`", markup=False)
            return
        out.print(runs_table(rows, out.width), soft_wrap=False)
        for row in rows:
            if "note" in row:
                out.print(f"{row['run']}: {row['note']}", markup=False, style="red")


def show(
    run: Run,
    candidate: Annotated[
        str | None, typer.Argument(metavar="CANDIDATE", help="Id, unambiguous prefix, best or start.")
    ] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="With the prompt and reply that made it.")] = False,
    instance: Annotated[
        str | None, typer.Option("--instance", metavar="ID", help="Draw its answer to an instance.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="What its statements are worth.")] = False,
    strata: Annotated[bool, typer.Option("--strata", help="Which elite is best on which stratum.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The drawing as .svg, .png or .pdf.")
    ] = None,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Show what a campaign found, or one candidate with code, gaps and origin."""
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder

        found = find_runs(run, runs_folder(runs))
        if strata:
            _show_winners(single(run, found), candidate, json)
            return
        if candidate is None and not explain and instance is None:
            _show_runs(run, found, json, runs)
            return
        with opened(single(run, found)) as record:
            from ..views.candidate import candidate_document, print_candidate

            id = record.resolve(candidate or "best")
            if instance is not None:
                _draw(record, id, instance, output, force, json)
            elif explain:
                from ..views.explain import explain as explained
                from ..views.explain import print_explanation

                told = explained(record, id)
                emit_json(told) if json else print_explanation(console(), told)
            elif json:
                emit_json(candidate_document(record, id))
            else:
                print_candidate(console(), record, id, conversation=prompt)


def best(
    run: Run,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a program that runs alone.")
    ] = None,
    force: Force = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Print the best heuristic's source, or write it as a program that runs alone."""
    with errors(json):
        from ..record.record import find_runs
        from ..record.runs import runs_folder
        from ..views.candidate import best_document, print_code

        with opened(best_of(find_runs(run, runs_folder(runs)))) as record:
            id = record.resolve("best")
            if output is not None:
                from ..record.standalone import evaluate_command, program_text

                write_new(output, program_text(record, id, str(output)), force)
            if json:
                emit_json({**best_document(record, id), "written": None if output is None else str(output)})
            elif output is not None:
                out = console()
                out.print(f"{output}: candidate {id} of {record.name}", markup=False)
                out.print(
                    f"  check it again: {evaluate_command(record, str(output))}", markup=False, soft_wrap=True
                )
            else:
                for text in record.candidate(id).files.values():
                    print_code(console(), text)


def single(text: str, found: list[Path]) -> Path:
    """The one run of a list.

    Raises:
        UserError: it is a group of several.
    """
    if len(found) == 1:
        return found[0]
    names = ", ".join(run.name for run in found)
    raise UserError(USAGE, f"{text}: a group of {len(found)} runs, expected one run", f"name one of {names}")


def best_of(found: list[Path]) -> Path:
    """The run of a group whose best candidate has the largest validation fitness; a single run is itself."""
    if len(found) == 1:
        return found[0]
    from ..record.record import open_record

    def fitness(folder: Path) -> float:
        with open_record(folder) as record:
            id = record.best
            evaluation = None if id is None else record.evaluation(id, "valid")
            return float("-inf") if evaluation is None or evaluation.fitness is None else evaluation.fitness

    return max(found, key=fitness)


def check_new(path: Path, force: bool) -> None:
    """Refuses a file that exists, unless it may be replaced; said before long work, not after it.

    Raises:
        UserError: it exists, or is a folder.
    """
    if path.is_dir():
        raise UserError(USAGE, f"{path}: is a folder, expected a file to write")
    if path.exists() and not force:
        raise UserError(USAGE, f"{path}: exists already", "replace it with --force, or name another file")


@contextmanager
def new_file(path: Path, force: bool) -> Iterator[TextIO]:
    """A text file that appears whole or not at all; one that exists is replaced only with `force`.

    Raises:
        UserError: it exists, or cannot be written.
    """
    import os

    check_new(path, force)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with draft.open("w", encoding="utf-8", errors="surrogatepass", newline="") as stream:
            yield stream
        draft.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def write_new(path: Path, content: str | bytes, force: bool) -> None:
    """Writes a file whole or not at all; one that exists is replaced only with `force`.

    Raises:
        UserError: it exists, or cannot be written.
    """
    with new_file(path, force) as stream:
        if isinstance(content, str):
            stream.write(content)
        else:
            stream.buffer.write(content)


def _draw(record: RunRecord, id: str, instance: str, output: Path | None, force: bool, json: bool) -> None:
    """Draws a candidate's answer beside the best baseline's, on the screen or into a file."""
    from ...problems.base import Drawable
    from ..audit.again import again, find_instance
    from ..views.plots.canvas import FORMATS, render
    from ..views.plots.drawing import draw, extent, in_terminal
    from ..views.words import clean

    found, runner = find_instance(record, instance), again(record)
    problem = runner.loaded.problem
    if not isinstance(problem, Drawable):
        raise UserError(USAGE, f"{problem.name}: its answers cannot be drawn", "it offers no `draw`")
    form = "svg" if output is None else output.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UserError(USAGE, f"{output}: got format {form or 'none'!r}, expected .svg, .png or .pdf")
    baseline = record.best_baseline(found.split)
    programs = [id, *([baseline] if baseline is not None else [])]
    answers = runner.answers(programs, found)
    drawings = {record.title(p): problem.draw(found, answer) for p, answer in answers.items()}
    if not drawings:
        raise UserError(NO_CANDIDATE, f"{instance}: no valid answer of {id} or the best baseline")
    reference = record.reader.references()[found.id]
    words = f"{found.id}: reference {float(reference.value):g} {problem.unit} ({reference.kind.value})"
    if output is not None:
        write_new(output, render(draw(drawings), form, f"{id}-{instance}"), force)
    if json:
        emit_json({"run": record.name, "candidate": id, "instance": found.id, "answers": answers})
        return
    out = console()
    out.print(words if output is None else f"{output}: {words}", markup=False)
    if output is None:
        right, top = extent(drawings.values())
        for name, drawing in drawings.items():
            axes = " over ".join(title for title in (drawing.y_title, drawing.x_title) if title)
            out.print(
                f"\n{clean(name)}: {clean(drawing.title)}; {clean(axes)}", markup=False, soft_wrap=False
            )
            out.print(in_terminal(drawing, min(out.width, 120), 14, right, top), soft_wrap=False)


def _show_winners(folder: Path, candidate: str | None, json: bool) -> None:
    from ..views.winners import print_winners, winners

    if candidate is not None:
        raise UserError(
            USAGE,
            f"--strata: got candidate {candidate}, expected the run alone: it compares all elites",
            f"gaps of one candidate by stratum: `gapsmith show {folder.name} {candidate}`",
        )
    with opened(folder) as record:
        found = winners(record)
        emit_json(found) if json else print_winners(console(), found)


def _show_runs(text: str, found: list[Path], json: bool, runs: Path | None) -> None:
    from ..record.record import open_record
    from ..record.summary import group_summary, summarise
    from ..views.overview import print_overview

    documents = []
    for folder in found:
        with open_record(folder) as record:
            documents.append(summarise(folder, record.reader))
            if not json:
                print_overview(console(), record, documents[-1])
    if len(found) > 1:
        if json:
            emit_json({"group": text, "runs": documents, "summary": group_summary(documents)})
        else:
            from ..views.overview import print_group

            print_group(console(), text, documents)
    elif json:
        emit_json(documents[0])
    else:
        from ..record.runs import named_place
        from .results import print_next

        print_next(documents[0], named_place(found[0], runs))
