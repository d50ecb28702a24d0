"""`show`: a campaign, or one of its candidates."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import INVALID, NO_CANDIDATE, USAGE, UserError
from . import completion
from .options import Force, Json, Run, Runs, TrustRun, WithoutAgain, trust_of
from .run_arguments import check_ended, folders_of, opened, single
from .terminal import console, emit_json, errors, write_new

if TYPE_CHECKING:
    from ..runs.record import RunRecord
    from ..runs.trust import Trust


def show(
    run: Run,
    candidate: Annotated[
        str | None,
        typer.Argument(
            metavar="CANDIDATE",
            help="Id, unambiguous prefix, best or start.",
            autocompletion=completion.candidates,
        ),
    ] = None,
    prompt: Annotated[bool, typer.Option("--prompt", help="With the prompt and reply that made it.")] = False,
    instance: Annotated[
        str | None, typer.Option("--instance", metavar="ID", help="Draw its answer to an instance.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="What its statements are worth.")] = False,
    strata: Annotated[bool, typer.Option("--strata", help="Which elite is best on which stratum.")] = False,
    diff: Annotated[
        str | None,
        typer.Option("--diff", metavar="CANDIDATE", help="Compare its text with another one, as start."),
    ] = None,
    lineage: Annotated[
        bool, typer.Option("--lineage", help="Its ancestry with loss and operator at each step.")
    ] = False,
    solver: Annotated[
        list[float] | None,
        typer.Option(
            "--solver",
            metavar="EFFORT",
            help="Add the solver, stopped after so many deterministic seconds (repeatable).",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The drawing as .svg, .png or .pdf.")
    ] = None,
    force: Force = False,
    trust_run: TrustRun = False,
    unsafe_without: WithoutAgain = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Show what a campaign found, or one candidate with code, gaps and origin."""
    with errors(json):
        if diff is not None or lineage:
            _show_relation(run, candidate or "best", diff, lineage, runs, json)
            return
        folders = folders_of(run, runs)
        of_run = candidate is None and not explain and not strata and instance is None
        if of_run and not solver:
            _show_runs(run, folders, json, runs)
            return
        trust = partial(trust_of, trust_run, unsafe_without)
        if unsafe_without:
            trust()  # refuses what is no layer, wherever it is not needed
        if solver:
            if not of_run:
                raise UserError(USAGE, "--solver: expected the run alone, without a candidate or an instance")
            _solve(single(run, folders), trust(), solver)
        if strata:
            _show_winners(single(run, folders), candidate, json)
            return
        if of_run:
            _show_runs(run, folders, json, runs)
            return
        folder = single(run, folders)
        if instance is not None:
            _draw(folder, trust(), candidate or "best", instance, output, force, json)
        elif explain:
            _explain(folder, trust(), candidate or "best", json)
        else:
            _show_candidate(folder, candidate or "best", prompt, json)


def _show_relation(
    run: str, candidate: str, diff: str | None, lineage: bool, runs: Path | None, json: bool
) -> None:
    """Prints how a candidate differs from another one, or its ancestry."""
    from .diff import show_diff
    from .lineage import show_lineage

    if diff is not None and lineage:
        raise UserError(USAGE, "--diff and --lineage: got both, expected one of them")
    if diff is not None:
        show_diff(run, diff, candidate, runs, json)
    else:
        show_lineage(run, candidate, runs, json)


def _explain(folder: Path, trust: Trust, candidate: str, json: bool) -> None:
    """Prints what the statements of a candidate are worth."""
    from ..analysis.simplify import explain as explained
    from ..setup.reruns import setup_of_record
    from ..views.candidate import print_explanation

    with opened(folder) as record:
        explanation = explained(record, setup_of_record(record, trust), record.resolve(candidate))
        emit_json(explanation) if json else print_explanation(console(), explanation)


def _show_candidate(folder: Path, candidate: str, prompt: bool, json: bool) -> None:
    """Prints a candidate with code, gaps and origin."""
    from ..views.candidate import candidate_document, print_candidate

    with opened(folder) as record:
        id = record.resolve(candidate)
        if json:
            emit_json(candidate_document(record, id))
        else:
            print_candidate(console(), record, id, conversation=prompt)


def _draw(
    folder: Path, trust: Trust, candidate: str, instance: str, output: Path | None, force: bool, json: bool
) -> None:
    """Draws a candidate's answer beside the best baseline's, on the screen or into a file."""
    with opened(folder) as record:
        _draw_answer(record, trust, record.resolve(candidate), instance, output, force, json)


def _draw_answer(
    record: RunRecord, trust: Trust, id: str, instance: str, output: Path | None, force: bool, json: bool
) -> None:
    from ...evaluators.judging import NotDrawn
    from ...problems.base import Drawable
    from ..setup.reruns import answers, find_instance, setup_of_record
    from ..views.plots.canvas import FORMATS, render
    from ..views.plots.drawing import draw, print_drawings

    target = find_instance(record, instance)
    setup = setup_of_record(record, trust)
    problem = setup.loaded.problem
    if not isinstance(problem, Drawable):
        raise UserError(USAGE, f"{problem.name}: its answers cannot be drawn", "it offers no `draw`")
    form = "svg" if output is None else output.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise UserError(USAGE, f"{output}: got format {form or 'none'!r}, expected .svg, .png or .pdf")
    baseline = record.rival
    programs = [id, *([baseline] if baseline is not None else [])]
    made = answers(record, setup, programs, target)
    try:
        drawings = {record.title(p): setup.evaluator.draw(target, answer) for p, answer in made.items()}
    except NotDrawn as error:
        raise UserError(INVALID, str(error), "correct the problem's `draw`") from error
    if not drawings:
        raise UserError(NO_CANDIDATE, f"{instance}: no valid answer of {id} or the best baseline")
    reference = record.reader.references()[target.id]
    words = f"{target.id}: reference {float(reference.value):g} {problem.unit} ({reference.kind.value})"
    if output is not None:
        write_new(output, render(draw(drawings), form, f"{id}-{instance}"), force)
    if json:
        emit_json({"run": record.name, "candidate": id, "instance": target.id, "answers": made})
        return
    out = console()
    out.print(words if output is None else f"{output}: {words}", markup=False)
    if output is None:
        print_drawings(out, drawings)


def _solve(folder: Path, trust: Trust, efforts: list[float]) -> None:
    """Lets the problem's solver answer a run's instances, and stores its figures with the run."""
    from ..analysis.evaluate import keep_solver
    from ..setup.reruns import setup_of_record
    from .evaluate import progress_line

    check_ended(folder)
    with opened(folder) as record:
        keep_solver(record, setup_of_record(record, trust), efforts, progress_line())


def _show_winners(folder: Path, candidate: str | None, json: bool) -> None:
    from ..views.history import print_winners, winners

    if candidate is not None:
        raise UserError(
            USAGE,
            f"--strata: got candidate {candidate}, expected the run alone: it compares all elites",
            f"gaps of one candidate by stratum: `{shlex.join(['gapsmith', 'show', folder.name, candidate])}`",
        )
    with opened(folder) as record:
        rows = winners(record)
        emit_json(rows) if json else print_winners(console(), rows)


def _show_runs(text: str, folders: list[Path], json: bool, runs: Path | None) -> None:
    from ..runs.record import open_record
    from ..runs.summary import group_summary, summarise
    from ..views.overview import print_overview

    documents = []
    for folder in folders:
        with open_record(folder) as record:
            documents.append(summarise(folder, record.reader))
            if not json:
                print_overview(console(), record, documents[-1])
    if len(folders) > 1:
        if json:
            emit_json({"group": text, "runs": documents, "summary": group_summary(documents)})
        else:
            from ..views.overview import print_group

            print_group(console(), text, documents)
    elif json:
        emit_json(documents[0])
    else:
        from ..runs.folders import named_place
        from .session import print_next

        print_next(documents[0], named_place(folders[0], runs))
