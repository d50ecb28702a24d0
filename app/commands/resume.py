"""`resume`: go on with a run or a group."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .budget import Limits, budget_of
from .options import (
    Json,
    Run,
    Runs,
    TrustRun,
    WithoutAgain,
    Workers,
    trust_of,
)
from .session import finish, print_result, search, search_new, until_stopped
from .terminal import console, errors

if TYPE_CHECKING:
    from ..runs.trust import Trust


def resume(
    run: Run,
    limits: Limits = None,
    workers: Workers = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="SPEC", help="Go on with a model, of a workbench (repeatable)."),
    ] = None,
    trust_run: TrustRun = False,
    unsafe_without: WithoutAgain = None,
    runs: Runs = None,
    json: Json = False,
) -> None:
    """Go on with a run or a group after a stop, a crash or a kill; budget options are new totals."""
    with errors(json):
        from ...evolve.budget import StopReason
        from .. import compose
        from ..errors import USAGE, UserError
        from ..formatting import AMOUNTS
        from ..proposers import check_models
        from ..runs.folders import find_group, find_run, named_place, running, runs_folder
        from ..runs.resume import budget_key, ended, stored_config

        totals = budget_of(limits)
        trust = trust_of(trust_run, unsafe_without)
        if members := find_group(run, runs_folder(runs)):
            place = named_place(members[0], runs)
            _resume_group(Path(run).name, members, totals, workers, trust, place, json)
            return
        folder = find_run(run, runs_folder(runs))
        runs = named_place(folder, runs)
        reason = ended(folder)
        if reason == StopReason.FINISHED:
            hint = f"go on in a new one: `gapsmith bench open PROBLEM --start {folder.name}`"
            raise UserError(USAGE, f"{folder.name}: its workbench is finished", hint)
        if reason and not totals and not running(folder):
            note = (
                f"nothing was resumed: {folder.name} is completed ({reason}); to go on, give it more: "
                f"--budget N{AMOUNTS.get(budget_key(reason), '')}"
            )
            console(stderr=True).print(note, markup=False, soft_wrap=True)
            print_result(compose.read_summary(folder), json, runs)
            return
        config = stored_config(folder, totals, workers, trust, models=model or ())
        config = check_models(config, runs_folder(runs)) if model else config
        document = search(config, folder, {}, None, Event(), adopt=trust_run)
        finish([document], None, json, runs)


def _resume_group(
    name: str,
    members: list[Path],
    totals: dict[str, Any],
    workers: int | str | None,
    trust: Trust,
    runs: Path | None,
    json: bool,
) -> None:
    """Resumes the interrupted members and starts those that never began; the others stay as they are."""
    from .. import compose
    from ..runs.folders import running
    from ..runs.resume import ended, missing_member, stored_config, stored_group

    group = stored_group(name, members, trust)
    place = members[0].parent
    interrupted = Event()
    folders = [place / group.member(number + 1) for number in range(group.members)]
    done = [f for f in folders if f in members and ended(f) and not totals and not running(f)]

    def go_on(folder: Path) -> dict[str, Any]:
        if folder in done:
            return compose.read_summary(folder)
        if folder in members:
            config = stored_config(folder, totals, workers, trust)
            return search(config, folder, {}, group, interrupted, adopt=trust.run)
        config, programs = missing_member(folders.index(folder) + 1, members[0], totals, workers, trust)
        if folder.is_dir():  # a kill while it was set up
            return search(config, folder, programs, group, interrupted)
        return search_new(config, place, folder.name, programs, group, interrupted)

    if done == folders:
        note = (
            f"nothing was resumed: all {len(done)} runs of {name} are completed; to go on, give each "
            "more, as --budget 5m"
        )
        console(stderr=True).print(note, markup=False, soft_wrap=True)
    finish(until_stopped(map(go_on, folders), interrupted, place, group), group, json, runs)
