"""What `run` and `resume` share: searches under a live view, Ctrl-C, and what is printed in the end."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import typer

from ..errors import INTERRUPTED, KEPT, NO_CANDIDATE, TROUBLE, UserError
from .terminal import console, emit_json

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign
    from ..config import Config
    from ..runs.folders import Group
    from ..views.live import LiveView


def search_new(
    config: Config,
    runs: Path,
    name: str,
    programs: dict[str, dict[str, str]],
    group: Group | None,
    interrupted: Event,
) -> dict[str, Any]:
    """Makes a run folder and searches in it; a wrong name, parameter or file leaves no folder behind."""
    from .. import compose  # noqa: F401  heavy: from its folder on, a run is the latest, so it has to be quick
    from ..plugins.loader import load_problem
    from ..runs.folders import new_folder
    from ..setup.instances import user_splits

    loaded = load_problem(config.campaign.problem, config.problem)
    if config.evaluation.instances:
        user_splits(loaded, config.evaluation.instances, config.evaluation.instance_seed)
    with new_folder(runs, name) as folder:
        return search(config, folder, programs, group, interrupted)


def search(
    config: Config,
    folder: Path,
    programs: dict[str, dict[str, str]],
    group: Group | None,
    interrupted: Event,
    *,
    adopt: bool = False,
) -> dict[str, Any]:
    """Runs a campaign under a live view; Ctrl-C once finishes what is in flight, twice stops now.

    Questions that wait for a person are not in flight: they stay open for the next session.
    """
    from ...evolve.llm.base import ModelError
    from ...problems.base import SPLITS
    from .. import compose
    from ..plan import plan
    from ..proposers import agent_of
    from ..runs.signature import without_key
    from ..setup.timing import time_line
    from ..views.live import LiveView

    model = ", ".join(entry.spec for entry in config.model) or "offline"
    title = f"{config.campaign.problem}, {model}, seed {config.campaign.seed}"
    with LiveView(title, config.run.words) as view, interrupts() as catch:
        view.say(f"run {folder}")
        if (note := without_key()) is not None:
            view.say(note)
        view.say(f"budget: {_budget_words(config)}")

        begun = Event()

        def started(campaign: Campaign) -> None:
            begun.set()
            catch(campaign, view, interrupted)
            if config.evaluation.instances:
                counts = {split: len(campaign.ports.evaluator.instances(split)) for split in SPLITS}
                view.say(f"instances from {', '.join(config.evaluation.instances)}: {counts}")
            if (line := time_line(campaign)) is not None:
                view.say(line)
            if config.model:
                for line in plan(campaign, config)["lines"]:
                    view.say(line)

        watcher = compose.Watcher(view.notify, started, view.observe)
        carry_out: Callable[..., dict[str, Any]] = compose.run
        if agent_of(config) is not None:
            from ..bench import agent

            carry_out = agent.work
        try:
            return carry_out(
                config, folder, start=programs or None, group=group, watcher=watcher, adopt=adopt
            )
        except KeyboardInterrupt:
            if not begun.is_set():
                raise
            raise UserError(INTERRUPTED, "interrupted", saved(folder, group)) from None
        except ModelError as error:
            raise UserError(TROUBLE, str(error), saved(folder, group)) from error


def _budget_words(config: Config) -> str:
    """What a campaign may use, before it starts."""
    from dataclasses import asdict

    from ...evolve.budget import DEFAULT_SECONDS
    from ..formatting import duration

    if not config.budget.limited:
        return (
            f"{duration(DEFAULT_SECONDS)} in all, or twice what references and baselines take; "
            "--budget 5m searches longer"
        )
    words = []
    for key, limit in asdict(config.budget).items():
        if limit is not None:
            timed = {"seconds": "", "cpu_seconds": " of CPU time"}
            name = {"usd": "US dollars", "patience": "iterations without a new best"}.get(key, key)
            words.append(duration(limit) + timed[key] if key in timed else f"{limit:,} {name}")
    return ", ".join(words) + ", references to test" * (config.budget.seconds is not None)


@contextmanager
def interrupts() -> Iterator[Callable[[Campaign, LiveView, Event], None]]:
    """Within the `with`, the first Ctrl-C ends the search in order, and the second one interrupts it."""
    import signal

    from ...evolve.budget import StopReason

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def catch(campaign: Campaign, view: LiveView, interrupted: Event) -> None:
        def handle(number: int, frame: object) -> None:
            signal.signal(number, signal.default_int_handler)
            interrupted.set()
            campaign.interrupt(StopReason.INTERRUPTED)
            view.say(
                "finishing what is under way; Ctrl-C again stops at once, and nothing that is stored is lost"
            )

        for number in before:
            signal.signal(number, handle)

    try:
        yield catch
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def until_stopped(
    searches: Iterable[dict[str, Any]], interrupted: Event, runs: Path, group: Group | None
) -> list[dict[str, Any]]:
    """Documents of searches one after another; stopping one search stops those that would follow."""
    documents: list[dict[str, Any]] = []
    try:
        for document in searches:
            documents.append(document)
            # A Ctrl-C may come after a search's end: that run is completed, and the next ones are not begun.
            if interrupted.is_set() or document["status"] != "completed":
                break
    except KeyboardInterrupt:  # while one of them was set up
        if group is None or not documents:
            raise UserError(INTERRUPTED, "interrupted before the search began", KEPT) from None
        raise UserError(INTERRUPTED, "interrupted", saved(runs / documents[0]["run"], group)) from None
    return documents


def saved(folder: Path, group: Group | None) -> str:
    """A sentence with the command that goes on; it names a group by its whole path."""
    what, path = ("run", folder) if group is None else ("group", folder.absolute().with_name(group.name))
    return f"the {what} is saved; `gapsmith resume {shlex.quote(str(path))}` goes on"


# What `run` and `resume` print in the end.


def finish(
    documents: list[dict[str, Any]],
    group: Group | None,
    json: bool,
    runs: Path | None,
    reminders: Sequence[str] = (),
) -> None:
    """Prints the results, then reminders on standard error, and ends with the right exit code."""
    from ..formatting import clean
    from ..runs.advice import is_fruitless
    from ..runs.summary import group_summary
    from ..views.overview import print_group

    if group is not None:
        if json:
            emit_json({"group": group.name, "runs": documents, "summary": group_summary(documents)})
        else:
            for document in documents:
                print_result(document, False, runs)
            print_group(console(), group.name, documents)
            done = sum(document["status"] == "completed" for document in documents)
            if done < group.members:
                command = f"gapsmith resume {shlex.quote(group.name)}{_where(runs)}"
                words = f"{done} of {group.members} runs are completed: `{command}` goes on"
                console().print(words, markup=False)
    else:
        print_result(documents[0], json, runs)
    for line in reminders:
        console(stderr=True).print(clean(line), markup=False, soft_wrap=True)
    if any(document["stop_reason"] == "interrupted" for document in documents):
        raise typer.Exit(INTERRUPTED)
    fruitless = all(is_fruitless(document["models"]) for document in documents)
    if fruitless or all(document["best"] is None for document in documents):
        raise typer.Exit(NO_CANDIDATE)


def print_result(document: dict[str, Any], json: bool, runs: Path | None) -> None:
    """Prints one campaign's result; `runs` is the folder of the runs if it was named."""
    if json:
        emit_json(document)
        return
    from ..formatting import clean
    from ..views.overview import print_advice, print_champions
    from ..views.tables import print_campaign

    print_campaign(console(), document)
    print_champions(console(), document)
    for note in document["notes"]:
        console().print(clean(note), markup=False)
    print_advice(console(), document, _where(runs))
    print_next(document, runs)


def print_next(document: dict[str, Any], runs: Path | None) -> None:
    """Prints the most useful commands after a campaign, to be copied as they are."""
    commands = _next_commands(document["run"], document["status"], runs)
    width = max(len(command) for command, _ in commands)
    for command, meaning in commands:
        console().print(f"  {command:<{width}}  # {meaning}", markup=False)


def _next_commands(run: str, status: str, runs: Path | None) -> list[tuple[str, str]]:
    """The three most useful commands after a run; they name the folder of the runs where it was named."""
    run = shlex.quote(run)
    where = _where(runs)
    if status == "open":
        first = (f"gapsmith bench finish {run}{where}", "choose the champion, test it once")
    elif status in ("interrupted", "stopped"):
        first = (f"gapsmith resume {run}{where}", "go on")
    else:
        first = (f"gapsmith best {run} -o best.py{where}", "as a program")
    return [
        first,
        (f"gapsmith show {run}{where}", "what was found"),
        (f"gapsmith show {run} best{where}", "code and strata"),
    ]


def _where(runs: Path | None) -> str:
    """The option that names the folder of the runs, where it was named."""
    return "" if runs is None else f" --runs {shlex.quote(str(runs))}"
