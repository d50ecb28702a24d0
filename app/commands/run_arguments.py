"""The run that an argument means, opened for reading."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from ..errors import TROUBLE, USAGE, UserError
from .terminal import console

if TYPE_CHECKING:
    from ..runs.record import RunRecord


def folders_of(text: str, runs: Path | None, *, unbegun: bool = False) -> list[Path]:
    """The runs that an argument names: one, or those of a group; `unbegun` as for `find_run`.

    Raises:
        UserError: there is no such run.
    """
    from ..runs.folders import runs_folder
    from ..runs.record import find_runs

    return find_runs(text, runs_folder(runs), unbegun=unbegun)


@contextmanager
def opened(folder: Path) -> Iterator[RunRecord]:
    """The record of a run; says on standard error if it is foreign or was made without a sandbox layer."""
    from ..formatting import clean, unsafe
    from ..runs.record import open_record
    from ..runs.signature import foreign_words

    with open_record(folder) as record:
        if record.reader.record("created") is None:
            said = f"{record.name}: its search has not begun, so nothing of it is stored"
            console(stderr=True).print(clean(said), markup=False, soft_wrap=True)
        elif record.foreign:
            said = f"{record.name}: {foreign_words()}"
            console(stderr=True).print(clean(said), markup=False, soft_wrap=True)
        if record.unsafe:
            console(stderr=True).print(f"{clean(record.name)}: {unsafe(record.unsafe)}", markup=False)
        yield record


def warn_of_reaching(record: RunRecord, id: str) -> None:
    """Says on standard error what a candidate reaches for beside its task, if anything."""
    from ..formatting import reaches

    if reached := record.reached(id):
        console(stderr=True).print(reaches(reached), markup=False, soft_wrap=True)


def single(text: str, folders: list[Path]) -> Path:
    """The one run of a list.

    Raises:
        UserError: it is a group of several.
    """
    if len(folders) == 1:
        return folders[0]
    names = ", ".join(run.name for run in folders)
    raise UserError(
        USAGE, f"{text}: a group of {len(folders)} runs, expected one run", f"name one of {names}"
    )


def check_ended(folder: Path) -> None:
    """Refuses a run that is not over.

    Raises:
        UserError: a process is at work in it.
    """
    from ..runs.folders import running

    if running(folder):
        raise UserError(
            TROUBLE,
            f"{folder.name}: a process is at work in it, expected a run that has ended",
            f"end it with `gapsmith stop {quote(str(folder))}`",
        )


def best_of(folders: list[Path]) -> Path:
    """The run of a group whose best candidate has the largest validation fitness; a single run is itself."""
    if len(folders) == 1:
        return folders[0]
    from ..runs.record import open_record

    def fitness(folder: Path) -> float:
        with open_record(folder) as record:
            id = record.best
            evaluation = None if id is None else record.evaluation(id, "valid")
            return float("-inf") if evaluation is None or evaluation.fitness is None else evaluation.fitness

    return max(folders, key=fitness)
