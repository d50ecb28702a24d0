"""`run`: start a campaign."""

from __future__ import annotations

import time
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from . import completion
from .budget import Limits, budget_of
from .options import (
    Json,
    Runs,
    Set,
    Without,
    Workers,
    build_config,
    duration,
    start_programs,
)
from .session import finish, search_new, until_stopped
from .terminal import console, emit_json, errors

if TYPE_CHECKING:
    from ..config import Config
    from ..runs.folders import Group


class ControlName(StrEnum):
    """What is run in place of the search; the names of `campaign.control`."""

    BEST_OF_N = "best-of-n"
    RANDOM = "random"


class Fronts(StrEnum):
    """What the search keeps the best programs by, beside the loss."""

    TIME = "time"


Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Random seed of the search.")]


Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="SPEC",
        help="offline, openai/NAME, agent:claude/NAME … (repeatable, SPEC=weight); keeps the file's table.",
    ),
]


def run(
    what: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM|campaign.toml",
            help="A problem or a configuration.",
            autocompletion=completion.problems,
        ),
    ],
    model: Models = None,
    limits: Limits = None,
    seed: Seed = None,
    repeat: Annotated[
        int,
        typer.Option(
            "--repeat", min=1, max=1000, help="Runs, seeds SEED, SEED+1, …; a budget is each run's (count)."
        ),
    ] = 1,
    control: Annotated[
        ControlName | None,
        typer.Option("--control", metavar="KIND", help="In place of the search: best-of-n or random."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--start",
            metavar="FILE|NAME|RUN",
            help="Start program: a file, a baseline's name, or a run's elites (repeatable).",
        ),
    ] = None,
    time_budget: Annotated[
        float | None,
        typer.Option(
            "--time-budget",
            parser=duration,
            metavar="TIME",
            help="Most CPU time of a champion on an instance, as 10ms; slower ones stay parents.",
        ),
    ] = None,
    fronts: Annotated[
        Fronts | None,
        typer.Option("--fronts", metavar="time", help="Search for the best program at each CPU time."),
    ] = None,
    instances: Annotated[
        list[str] | None,
        typer.Option(
            "--instances",
            metavar="SET|FILES",
            help="A named set, or your file, folder, pattern or archive, to be split; or three.",
        ),
    ] = None,
    workers: Workers = None,
    assign: Set = None,
    unsafe_without: Without = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan, its cost range and one prompt; send nothing.")
    ] = False,
    slurm: Annotated[
        bool,
        typer.Option("--slurm", help="Run nothing: write a Slurm job array with a task for each run."),
    ] = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Start a campaign: search for a heuristic and certify its gap.

    Without a model it uses the offline proposer: no key, no network, no cost.

    Without a budget it takes 60 s, or twice what references and baselines take; with a model 400 iterations.
    """
    with errors(json):
        from ...evolve.measures import TIME
        from ..config import resolve_budget
        from ..proposers import check_models
        from ..runs.folders import Group, new_name, runs_folder

        config = build_config(
            what,
            assign or [],
            model=model,
            budget=budget_of(limits),
            seed=seed,
            workers=workers,
            without=unsafe_without,
            instances=instances,
            time_budget=time_budget,
            measures=[TIME, "size"] if fronts else None,
            control=control and control.value,
        )
        if config.uses_models or dry_run:
            config = resolve_budget(config)  # else the default depends on how long the preparation takes
        config = check_models(config, runs_folder(runs), sends=not dry_run)
        programs = start_programs(start or [], runs_folder(runs), config)
        reminders = _say_unchecked(config)
        if dry_run:
            _dry_run(config, programs, repeat, json)
            return
        name = new_name(Path(config.campaign.problem).stem, config.campaign.seed, time.time())
        if slurm:
            _write_array(runs_folder(runs), Group(name, repeat), config, programs, json)
            return
        group = Group(name, repeat) if repeat > 1 else None
        interrupted = Event()
        searches = (
            search_new(
                _with_seed(config, offset),
                runs_folder(runs),
                group.member(offset + 1) if group else name,
                programs,
                group,
                interrupted,
            )
            for offset in range(repeat)
        )
        documents = until_stopped(searches, interrupted, runs_folder(runs), group)
        finish(documents, group, json, runs, reminders)


def _say_unchecked(config: Config) -> list[str]:
    """Says on standard error if the problem is a file that did not pass all checks since it changed.

    Returns:
        Lines to repeat below the results; none without findings.
    """
    import shlex

    from ..check.check_record import checked, reminder, sentences
    from ..formatting import clean
    from ..plugins.loader import load_problem
    from ..runs.advice import parameters_of

    spec = config.campaign.problem
    loaded = load_problem(spec, config.problem)
    if loaded.source is None:
        return []
    out = console(stderr=True)
    with out.status("checking") as status:
        result = checked(loaded, spec, config.problem, lambda name: status.update(f"checking: {name}"))
    options = parameters_of(config.problem)
    for line in sentences(shlex.quote(spec), result, options):
        out.print(clean(line), markup=False, soft_wrap=True)
    return reminder(shlex.quote(spec), result, options)


def _dry_run(config: Config, programs: dict[str, dict[str, str]], repeat: int, json: bool) -> None:
    """Prints what a campaign would ask for and cost, and its first prompt."""
    from .. import compose
    from ..formatting import clean

    document = {**compose.dry_run(config, start=programs or None), "runs": repeat}
    if json:
        emit_json(document)
        return
    if repeat > 1:
        console().print(f"{repeat} runs; calls, cost and budgets are those of each run", markup=False)
    for text in [*document["lines"], *(document["prompt"] or {}).values()]:
        console().print(clean(text), markup=False)


def _write_array(
    runs: Path, group: Group, config: Config, programs: dict[str, dict[str, str]], json: bool
) -> None:
    """Writes a job array and prints it, and how to submit it and look at its runs."""
    import shlex

    from ..formatting import clean
    from ..setup.slurm import write_array

    script = write_array(runs, group, config, programs)
    submit = f"sbatch {shlex.quote(str(script))}"
    if json:
        emit_json({"group": group.name, "members": group.members, "script": str(script), "submit": submit})
        return
    look = f"gapsmith show {shlex.quote(str(script.parent.parent / group.name))}"
    for line in [*script.read_text("utf-8").splitlines(), "", f"{submit}  # {group.members} tasks", look]:
        console().print(clean(line), markup=False, highlight=False, soft_wrap=True)


def _with_seed(config: Config, offset: int) -> Config:
    seed = config.campaign.seed + offset
    return config.model_copy(update={"campaign": replace(config.campaign, seed=seed)})
