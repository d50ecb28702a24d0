"""Run folders: their place, their names, their logs, and whether a process is working in one."""

from __future__ import annotations

import difflib
import hashlib
import logging
import os
import re
import secrets
import shlex
import shutil
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ...evolve.budget import StopReason
from ...evolve.store.reader import EventRow, Reader
from ...evolve.store.schema import FILE_NAME, StoreError
from ...sandbox.unseen import clean, name_of, unseen
from ..errors import INVALID, TROUBLE, USAGE, UserError

if TYPE_CHECKING:
    from ...evolve.store.store import Store

LOG_NAME = "campaign.log"
STOP_NAME = "STOP"
AGENT_NAME = "agent"
"""Folder in a run that is locked while an agent works at its bench."""
CONFIG_NAME = "campaign.toml"
OPEN = "open"
"""Stop reason and status of a workbench that waits for the next operation."""
_LOCK_SECONDS = 0.05
"""Wall seconds between two looks at a lock that another process holds."""
_STAMP = len("20260101-000000")
"""Characters of a run's name that are its date."""
MOST_MEMBERS = 1000
"""Runs that a group may have (count)."""


def runs_folder(given: Path | None = None) -> Path:
    """The folder that holds the runs: `--runs`, else `GAPSMITH_RUNS`, else `./runs`.

    Raises:
        UserError: it is a file.
    """
    folder = given or Path(os.environ.get("GAPSMITH_RUNS") or "runs")
    if folder.is_file():
        raise UserError(
            USAGE, f"{folder}: a file, expected the folder of the runs", "name it with --runs DIR"
        )
    return folder


def named_place(folder: Path, given: Path | None) -> Path | None:
    """The `--runs` folder that a command needs to find a run by its name; None if the default folder does."""
    usual = folder.parent.resolve() == runs_folder(given).resolve()
    return given if usual else folder.parent


def all_runs(runs: Path) -> list[Path]:
    """Run folders, oldest first (their names start with the date)."""
    if not runs.is_dir():
        return []
    return sorted((path.parent for path in runs.glob(f"*/{FILE_NAME}")), key=begun_before)


def begun_before(folder: Path) -> tuple[str, tuple[int | str, ...]]:
    """Orders runs by the date in their names; members of a group, and runs of one second, by number."""
    parts = re.split(r"([0-9]+)", folder.name[_STAMP:])
    return folder.name[:_STAMP], tuple(int(p) if n % 2 else p for n, p in enumerate(parts))


def preparing_runs(runs: Path) -> list[Path]:
    """Folders of runs whose references or baselines a process computes, before anything is stored."""
    if not runs.is_dir():
        return []
    found = (path.parent for path in runs.glob(f"*/{LOG_NAME}") if preparing(path.parent))
    return sorted(found, key=begun_before)


def preparing(folder: Path) -> bool:
    """Whether a live process prepares a run's search, before anything of the run is stored."""
    return not (folder / FILE_NAME).is_file() and running(folder)


def misnamed(folder: Path) -> str | None:
    """Names the invisible character in a run folder's name; None if the name is safe to print."""
    for name in (folder.name, folder.resolve().name):
        if character := next(filter(unseen, name), None):
            return f"the folder's name holds {name_of(character)}; rename the folder"
    return None


def find_run(text: str, runs: Path, *, unbegun: bool = False) -> Path:
    """The run that `text` names: a folder, a name, an unambiguous prefix, or `latest`.

    Args:
        text: what names the run.
        runs: folder of the runs.
        unbegun: whether a run that is still being prepared will do, of which nothing is stored.

    Raises:
        UserError: no run or several runs match, or the run is still being prepared.
    """
    folder = _named(text, runs)
    if not unbegun and preparing(folder):
        named = shlex.quote(str(folder))
        raise UserError(
            TROUBLE,
            f"run {folder.name}: its references or baselines are being computed, so its search has not begun",
            f"`gapsmith watch {named}` waits for the search, `gapsmith stop {named}` ends the run",
        )
    return folder


def _named(text: str, runs: Path) -> Path:
    """The run that `text` names, which may still be in preparation.

    Raises:
        UserError: no run or several runs match.
    """
    path = Path(text)
    if (path / FILE_NAME).is_file():
        if fault := misnamed(path):
            raise UserError(INVALID, f"{text!r}: {fault}")
        return path if path.name not in ("", "..") else path.resolve()
    if path.is_dir() and (os.sep in text or path.is_absolute()):
        if preparing(path) and not misnamed(path):
            return path
        raise UserError(
            INVALID, f"{text}: no {FILE_NAME} in this folder, expected a run folder", "see `gapsmith list`"
        )
    every = sorted([*all_runs(runs), *preparing_runs(runs)], key=begun_before)
    folders = [run for run in every if not misnamed(run)]
    if text == "latest" and folders:
        return folders[-1]
    matches = [run for run in folders if run.name == text] or [r for r in folders if r.name.startswith(text)]
    if len(matches) == 1:
        return matches[0]
    if members := find_group(text, runs):
        names = ", ".join(run.name for run in members[:5])
        raise UserError(
            USAGE, f"{text}: a group of {len(members)} runs, expected one run", f"name one of {names}"
        )
    if matches:
        names = ", ".join(run.name for run in matches[:5])
        raise UserError(
            USAGE, f"run {text!r}: {len(matches)} runs start like this ({names})", "type more of its name"
        )
    if text and (runs / text).is_dir():
        why = "it ended before its search began, so nothing of it is stored"
        raise UserError(USAGE, f"run {text!r}: {why}", "start it again with `gapsmith run`")
    if not folders:
        raise UserError(
            USAGE,
            f"run {text!r}: no runs in {runs}",
            "start one with `gapsmith run smtt`, or name --runs DIR",
        )
    near = difflib.get_close_matches(text, [run.name for run in folders], 3, 0.6)
    hint = f"did you mean {', '.join(near)}?" if near else "`gapsmith list` shows the runs"
    raise UserError(USAGE, f"run {text!r}: not found in {runs}", hint)


def find_group(text: str, runs: Path) -> list[Path]:
    """The runs of a group (`run --repeat`), by the group's name or path; empty for an unknown group."""
    path = Path(text)
    member = re.compile(re.escape(path.name) + r"-s\d+")
    return [
        run
        for run in all_runs(path.parent if len(path.parts) > 1 else runs)
        if member.fullmatch(run.name) and not misnamed(run)
    ]


@dataclass(frozen=True, slots=True)
class Group:
    """Runs that differ only in their seed (`run --repeat`).

    Attributes:
        name: name of the group; its runs are called `NAME-s1`, `NAME-s2`, …
        members: planned number of runs.
    """

    name: str
    members: int

    def member(self, number: int) -> str:
        """Name of the member with this number, from 1."""
        return f"{self.name}-s{number}"


def new_name(problem: str, seed: int, now: float) -> str:
    """Name of a new run: local date and time, problem, four hex digits."""
    safe = "".join(c if c.isalnum() or c == "-" else "-" for c in problem.lower()).strip("-") or "problem"
    digits = hashlib.sha256(f"{now}\0{problem}\0{seed}\0{os.getpid()}".encode()).hexdigest()[:4]
    return f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{safe}-{digits}"


def _make_folder(runs: Path, name: str) -> Path:
    """Creates the folder of a new run.

    Raises:
        UserError: the folder cannot be created.
    """
    folder = runs / name
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise UserError(
            TROUBLE,
            f"{folder}: {error.strerror}; expected to make a run folder",
            "name another with --runs DIR",
        ) from error
    return folder


@contextmanager
def new_folder(runs: Path, name: str) -> Iterator[Path]:
    """Creates the folder of a new run; removes it if an error or Ctrl-C comes before any start program.

    Raises:
        UserError: the folder cannot be created.
    """
    folder = _make_folder(runs, name)
    try:
        yield folder
    except (UserError, StoreError, OSError, KeyboardInterrupt):
        with suppress(StoreError, OSError):  # what ended the run is the error that counts
            _discard_unbegun(folder)
        raise


def _discard_unbegun(folder: Path) -> None:
    reader = Reader.open(folder) if (folder / FILE_NAME).is_file() else None
    try:
        begun = reader is not None and reader.record("starts") is not None
    finally:
        if reader is not None:
            reader.close()
    if not begun:
        shutil.rmtree(folder)


@contextmanager
def at_work(folder: Path, wait: float = 0.0) -> Iterator[None]:
    """Holds the run's lock; the system releases the lock when the process ends, even after a crash.

    Args:
        folder: of the run.
        wait: wall seconds to wait for another process that holds it.

    Raises:
        UserError: another live process works in this run.
    """
    handle = os.fdopen(_open_log(folder, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "a")
    until = time.monotonic() + wait
    try:
        while not (locked := _lock(handle.fileno())) and time.monotonic() < until:
            time.sleep(_LOCK_SECONDS)
        if not locked:
            named = shlex.quote(str(folder))  # a path: commands look up a bare name in the default folder
            raise UserError(
                TROUBLE,
                f"{folder.name}: another process is at work in this run",
                f"watch it with `gapsmith watch {named}`, or end it with `gapsmith stop {named}`",
            )
        yield
    finally:
        handle.close()


@contextmanager
def adding(folder: Path, what: str) -> Iterator[Store]:
    """The store of a run that has ended, to store something with the run.

    Args:
        folder: of the run.
        what: is written, for the message of an error.

    Raises:
        UserError: a process is at work in the run, or the folder cannot be written.
    """
    from ...evolve.store.store import Store

    try:
        with at_work(folder), closing(Store(folder)) as store:
            yield store
    except OSError as error:
        raise UserError(
            TROUBLE,
            f"{folder}: {error.strerror}; expected to write {what}",
            "copy the run to a folder that can be written",
        ) from error


class _OneLine(logging.Formatter):
    """Writes each message on one line, so that text from models and candidates cannot forge log lines."""

    def format(self, record: logging.LogRecord) -> str:
        """The message on one line, without invisible characters."""
        return clean(super().format(record)).replace("\n", " ")


class _LogFile(logging.FileHandler):
    """A log file that ignores write errors: on a full disk the store reports the trouble more clearly."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Ignores errors of the operating system; reports any other error, because that is a bug."""
        if not isinstance(sys.exception(), OSError):
            super().handleError(record)

    def close(self) -> None:
        """Closes the file, even if a full disk rejects its last line."""
        with suppress(OSError):
            super().close()


@contextmanager
def run_log(folder: Path) -> Iterator[logging.Logger]:
    """Opens the run's log file for the block and yields its logger."""
    logger = logging.getLogger(f"gapsmith.run.{folder.name}")
    logger.propagate = False
    logger.setLevel(logging.INFO)
    handler = _LogFile(folder / LOG_NAME, encoding="utf-8")
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    try:
        yield logger
    finally:
        logger.removeHandler(handler)
        handler.close()


def put_text(path: Path, text: str) -> None:
    """Writes a file of a run folder; replaces a link or pipe of that name rather than following it.

    Raises:
        OSError: the file cannot be written.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with draft.open("x", encoding="utf-8") as stream:
            stream.write(text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def log_end(log: logging.Logger, reason: StopReason, faults: Iterable[EventRow]) -> None:
    """Writes to a run's log why the run ended, and which errors in Gapsmith's own code cost proposals."""
    log.info("ended: %s", reason.value)
    for fault in faults:
        log.error("iteration %d, %s: %s", fault.iteration, fault.data["operator"], fault.data["error"])


def running(folder: Path) -> bool:
    """Whether a live process works in this run, or an agent at its bench between two operations."""
    return _locked(folder) or _locked(folder / AGENT_NAME)


def _locked(folder: Path) -> bool:
    try:
        with os.fdopen(_open_log(folder, os.O_RDONLY), "r") as handle:
            return not _lock(handle.fileno(), shared=True)
    except (OSError, UserError):
        return False


def _open_log(folder: Path, flags: int) -> int:
    """Opens the run's log and returns its descriptor; follows no link and never waits for a pipe's other end.

    Raises:
        OSError: the log cannot be opened.
        UserError: the log is not a plain file.
    """
    path = folder / LOG_NAME
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UserError(INVALID, f"{path}: expected a plain file", "the folder is no run of this machine")
    return descriptor


def status(folder: Path, stop_reason: str | None) -> str:
    """`running`, `completed`, `stopped` (on request), `interrupted` (Ctrl-C, crash, provider failure), or
    `open` (a workbench that waits).
    """
    if running(folder):
        return "running"
    if stop_reason == OPEN:
        return OPEN
    if stop_reason is None or stop_reason in ("interrupted", "provider"):
        return "interrupted"
    return "stopped" if stop_reason == "stop_file" else "completed"


def _lock(descriptor: int, *, shared: bool = False) -> bool:
    """Tries to lock an open file without waiting; closing the file releases the lock."""
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
