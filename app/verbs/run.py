"""Verbs that search: `run`, `resume`, `stop`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from math import isfinite
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import INTERRUPTED, TROUBLE, UserError
from .common import Json, Runs, Set, Without, Workers, console, emit_json, errors
from .flags import build_config, start_programs
from .groups import saved, until_stopped
from .results import finish, show

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign
    from ..config import Config
    from ..record.runs import Group
    from ..views.live import LiveView


class Control(StrEnum):
    """What is run in place of the search; the names of `campaign.control`."""

    BEST_OF_N = "best-of-n"
    RANDOM = "random"


def _finite(value: float | None) -> float | None:
    if value is not None and not isfinite(value):
        raise typer.BadParameter(f"got {value}, expected a finite number; leave it out for no limit")
    return value


Iterations = Annotated[int | None, typer.Option("--iterations", min=1, help="Iterations in all (count).")]
Evaluations = Annotated[
    int | None, typer.Option("--evaluations", min=1, help="Candidates evaluated in training, in all (count).")
]
Seconds = Annotated[
    float | None,
    typer.Option("--seconds", min=0.001, callback=_finite, help="Wall seconds of search in all."),
]
Executions = Annotated[
    int | None,
    typer.Option("--executions", min=1, help="Executions in training and validation, in all (count)."),
]
CpuSeconds = Annotated[
    float | None,
    typer.Option(
        "--cpu-seconds", min=0.001, callback=_finite, help="CPU seconds of those executions, in all."
    ),
]
Patience = Annotated[
    int | None, typer.Option("--patience", min=1, help="Iterations without a better best (count).")
]
Seed = Annotated[int | None, typer.Option("--seed", min=0, help="Random seed of the search.")]
Usd = Annotated[
    float | None,
    typer.Option(
        "--usd", min=0.000001, callback=_finite, help="US dollars in all, a hard cap; needs prices."
    ),
]
Tokens = Annotated[int | None, typer.Option("--tokens", min=1, help="Tokens in and out in all, a hard cap.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="SPEC",
        help="offline, or openai/NAME … (repeatable, SPEC=weight); keeps what the file's table says of it.",
    ),
]


def register(app: typer.Typer) -> None:
    """Adds the verbs to the command line."""
    app.command("run")(run)
    app.command("resume")(resume)
    app.command("stop")(stop)


def run(
    what: Annotated[
        str, typer.Argument(metavar="PROBLEM|campaign.toml", help="A problem or a configuration.")
    ],
    model: Models = None,
    iterations: Iterations = None,
    evaluations: Evaluations = None,
    seconds: Seconds = None,
    executions: Executions = None,
    cpu_seconds: CpuSeconds = None,
    patience: Patience = None,
    usd: Usd = None,
    tokens: Tokens = None,
    seed: Seed = None,
    repeat: Annotated[
        int,
        typer.Option("--repeat", min=1, help="Runs, seeds SEED, SEED+1, …; a budget is each run's (count)."),
    ] = 1,
    control: Annotated[
        Control | None,
        typer.Option("--control", metavar="KIND", help="In place of the search: best-of-n or random."),
    ] = None,
    start: Annotated[
        list[str] | None,
        typer.Option("--start", metavar="FILE|RUN", help="Your start program, or a run's elites."),
    ] = None,
    instances: Annotated[
        list[str] | None,
        typer.Option(
            "--instances", metavar="SET|FILE", help="A named set or your file, to be split; or three."
        ),
    ] = None,
    workers: Workers = None,
    assign: Set = None,
    unsafe_without: Without = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan, its cost range and one prompt; send nothing.")
    ] = False,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Start a campaign: search for a heuristic and certify its gap.

    Without a model it uses the offline proposer: no key, no network, no cost.
    """
    with errors(json):
        from .. import compose
        from ..proposers import check_models
        from ..record.runs import Group, new_name, runs_folder

        config = build_config(
            what,
            assign or [],
            model=model,
            budget={
                "iterations": iterations,
                "evaluations": evaluations,
                "seconds": seconds,
                "executions": executions,
                "cpu_seconds": cpu_seconds,
                "patience": patience,
                "usd": usd,
                "tokens": tokens,
            },
            seed=seed,
            workers=workers,
            without=unsafe_without,
            instances=instances,
            control=control and control.value,
        )
        config = compose.resolve_budget(config)
        config = check_models(config, runs_folder(runs))
        programs = start_programs(start or [], runs_folder(runs))
        if dry_run:
            _dry_run(config, programs, repeat, json)
            return
        name = new_name(Path(config.campaign.problem).stem, config.campaign.seed, time.time())
        group, interrupted = Group(name, repeat) if repeat > 1 else None, Event()
        searches = (
            _one(
                _with_seed(config, offset),
                runs_folder(runs),
                group.member(offset + 1) if group else name,
                programs,
                group,
                interrupted,
            )
            for offset in range(repeat)
        )
        finish(until_stopped(searches, interrupted, runs_folder(runs), group), group, json, runs)


def resume(
    run: Annotated[str, typer.Argument(metavar="RUN")],
    iterations: Iterations = None,
    evaluations: Evaluations = None,
    seconds: Seconds = None,
    executions: Executions = None,
    cpu_seconds: CpuSeconds = None,
    patience: Patience = None,
    usd: Usd = None,
    tokens: Tokens = None,
    workers: Workers = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Go on with a run or a group after a stop, a crash or a kill; budget options are new totals."""
    with errors(json):
        from .. import compose
        from ..record.resume import ended, option, stored_config
        from ..record.runs import find_group, find_run, named_place, running, runs_folder

        totals = {
            "iterations": iterations,
            "evaluations": evaluations,
            "seconds": seconds,
            "executions": executions,
            "cpu_seconds": cpu_seconds,
            "patience": patience,
            "usd": usd,
            "tokens": tokens,
        }
        totals = {key: value for key, value in totals.items() if value is not None}
        if members := find_group(run, runs_folder(runs)):
            place = named_place(members[0], runs)
            _resume_group(Path(run).name, members, totals, workers, place, json)
            return
        folder = find_run(run, runs_folder(runs))
        runs = named_place(folder, runs)
        reason = ended(folder)
        if reason and not totals and not running(folder):
            note = f"{folder.name} is completed ({reason}); name a new total of it: {option(reason)}"
            console(stderr=True).print(note, markup=False, soft_wrap=True)
            show(compose.read_summary(folder), json, runs)
            return
        document = _search(stored_config(folder, totals, workers), folder, {}, None, Event())
        finish([document], None, json, runs)


def _resume_group(
    name: str,
    members: list[Path],
    totals: dict[str, Any],
    workers: int | None,
    runs: Path | None,
    json: bool,
) -> None:
    """Goes on with the members that were interrupted and starts those that were not; the others stay."""
    from .. import compose
    from ..record.resume import ended, missing_member, stored_config, stored_group
    from ..record.runs import running

    group, place, interrupted = stored_group(name, members), members[0].parent, Event()
    folders = [place / group.member(number + 1) for number in range(group.members)]
    done = [f for f in folders if f in members and ended(f) and not totals and not running(f)]

    def search(folder: Path) -> dict[str, Any]:
        if folder in done:
            return compose.read_summary(folder)
        if folder in members:
            return _search(stored_config(folder, totals, workers), folder, {}, group, interrupted)
        config, programs = missing_member(folders.index(folder) + 1, members[0], totals, workers)
        if folder.is_dir():  # a kill while it was set up
            return _search(config, folder, programs, group, interrupted)
        return _one(config, place, folder.name, programs, group, interrupted)

    if done == folders:
        note = f"all {len(done)} runs of {name} are completed; name a new total of each, as --iterations"
        console(stderr=True).print(note, markup=False, soft_wrap=True)
    finish(until_stopped(map(search, folders), interrupted, place, group), group, json, runs)


def stop(run: Annotated[str, typer.Argument(metavar="RUN")], runs: Runs = None, json: Json = False) -> None:
    """Ask a running campaign to finish what is in flight and end."""
    with errors(json):
        from ..record.runs import STOP_NAME, find_run, running, runs_folder

        folder = find_run(run, runs_folder(runs))
        live = running(folder)
        if live:
            (folder / STOP_NAME).touch()
        if json:
            emit_json({"run": folder.name, "running": live, "asked_to_stop": live})
        elif live:
            console().print(f"{folder.name}: asked to finish what is in flight and end", markup=False)
        else:
            console().print(f"{folder.name}: not running, nothing to stop", markup=False)


def _dry_run(config: Config, programs: dict[str, dict[str, str]], repeat: int, json: bool) -> None:
    """Prints what a campaign would ask for and cost, and its first prompt."""
    from .. import compose
    from ..views.words import clean

    document = {**compose.dry_run(config, start=programs or None), "runs": repeat}
    if json:
        emit_json(document)
        return
    if repeat > 1:
        console().print(f"{repeat} runs; calls, cost and budgets are those of each run", markup=False)
    for text in [*document["lines"], *(document["prompt"] or {}).values()]:
        console().print(clean(text), markup=False)


def _with_seed(config: Config, offset: int) -> Config:
    seed = config.campaign.seed + offset
    return config.model_copy(update={"campaign": config.campaign.model_copy(update={"seed": seed})})


def _one(
    config: Config,
    runs: Path,
    name: str,
    programs: dict[str, dict[str, str]],
    group: Group | None,
    interrupted: Event,
) -> dict[str, Any]:
    from ..opening.draw import user_splits
    from ..opening.setup import open_problem
    from ..record.runs import new_folder

    loaded = open_problem(config)  # a wrong name, parameter or file leaves no folder behind
    if config.evaluation.instances:
        user_splits(loaded, config.evaluation.instances, config.evaluation.instance_seed)
    with new_folder(runs, name) as folder:
        return _search(config, folder, programs, group, interrupted)


def _search(
    config: Config,
    folder: Path,
    programs: dict[str, dict[str, str]],
    group: Group | None,
    interrupted: Event,
) -> dict[str, Any]:
    """Runs a campaign under a live view; Ctrl-C once finishes what is in flight, twice stops now.

    What a person has yet to answer is not in flight: it stays open for the next session.
    """
    import os

    from ...evolve.models.base import ModelError
    from ...problems.base import SPLITS
    from .. import compose
    from ..plan import plan
    from ..views.live import LiveView

    model = ", ".join(entry.spec for entry in config.model) or "offline"
    title = f"{config.campaign.problem}, {model}, seed {config.campaign.seed}"
    with LiveView(title, config.run.workers or os.cpu_count() or 1) as view, _interrupts() as catch:
        view.say(f"run {folder}")

        begun = Event()

        def started(campaign: Campaign) -> None:
            begun.set()
            catch(campaign, view, interrupted)
            if config.evaluation.instances:
                counts = {split: len(campaign.ports.evaluator.instances(split)) for split in SPLITS}
                view.say(f"instances from {', '.join(config.evaluation.instances)}: {counts}")
            if config.model:
                for line in plan(campaign, config)["lines"]:
                    view.say(line)

        watcher = compose.Watcher(view.notify, started, view.observe)
        try:
            return compose.run(config, folder, start=programs or None, group=group, watcher=watcher)
        except KeyboardInterrupt:
            if not begun.is_set():
                raise
            raise UserError(INTERRUPTED, "interrupted", saved(folder, group)) from None
        except ModelError as error:
            raise UserError(TROUBLE, str(error), saved(folder, group)) from error


@contextmanager
def _interrupts() -> Iterator[Callable[[Campaign, LiveView, Event], None]]:
    """Gives what turns the first Ctrl-C into an orderly end (the second gets through); undone afterwards."""
    import signal

    from ...evolve.base import StopReason

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def catch(campaign: Campaign, view: LiveView, interrupted: Event) -> None:
        def handle(number: int, frame: object) -> None:
            signal.signal(number, signal.default_int_handler)
            interrupted.set()
            campaign.interrupt(StopReason.INTERRUPTED)
            view.say("finishing what is in flight; Ctrl-C again stops now")

        for number in before:
            signal.signal(number, handle)

    try:
        yield catch
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
