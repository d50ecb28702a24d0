"""What `run` and `resume` share: one search under a live view, Ctrl-C, several searches in turn."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from ..errors import INTERRUPTED, KEPT, TROUBLE, UserError

if TYPE_CHECKING:
    from ...evolve.campaign import Campaign
    from ..config import Config
    from ..record.runs import Group
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
    from ..door.plugins import load_problem
    from ..opening.draw import user_splits
    from ..record.runs import new_folder

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
    from ...evolve.models.base import ModelError
    from ...problems.base import SPLITS
    from .. import compose
    from ..opening.timing import time_line
    from ..plan import plan
    from ..record.seal import without_key
    from ..views.live import LiveView

    model = ", ".join(entry.spec for entry in config.model) or "offline"
    title = f"{config.campaign.problem}, {model}, seed {config.campaign.seed}"
    with LiveView(title, config.run.words) as view, interrupts() as catch:
        view.say(f"run {folder}")
        if (note := without_key()) is not None:
            view.say(note)

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
        try:
            return compose.run(
                config, folder, start=programs or None, group=group, watcher=watcher, adopt=adopt
            )
        except KeyboardInterrupt:
            if not begun.is_set():
                raise
            raise UserError(INTERRUPTED, "interrupted", saved(folder, group)) from None
        except ModelError as error:
            raise UserError(TROUBLE, str(error), saved(folder, group)) from error


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
