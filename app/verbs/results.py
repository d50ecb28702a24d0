"""What `run` and `resume` print in the end."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..errors import INTERRUPTED, NO_CANDIDATE
from .terminal import console, emit_json

if TYPE_CHECKING:
    from ..record.runs import Group


def finish(
    documents: list[dict[str, Any]],
    group: Group | None,
    json: bool,
    runs: Path | None,
    reminders: Sequence[str] = (),
) -> None:
    """Prints the results, then reminders on standard error, and ends with the right exit code."""
    from ..record.summary import group_summary
    from ..views.overview import print_group
    from ..words import clean

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
    if all(document["best"] is None for document in documents):
        raise typer.Exit(NO_CANDIDATE)


def print_result(document: dict[str, Any], json: bool, runs: Path | None) -> None:
    """Prints one campaign's result; `runs` is the folder of the runs if it was named."""
    if json:
        emit_json(document)
        return
    from ..views.advice import print_advice
    from ..views.champions import print_champions
    from ..views.tables import print_campaign
    from ..words import clean

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
    run, where = shlex.quote(run), _where(runs)
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
