"""`manual`: prompts are files, answered with files: by a chat window, a colleague, a program.

    mailbox/0012.md          the prompt of iteration 12 (0012-repair.md: of its repair; 0012-notes.md: the
                             page of notes, which is asked for before some prompts; 0012-turn2.md: the
                             second question of an episode)
    mailbox/0012.reply.md    the reply; Gapsmith reads it as soon as it is there and no longer grows
    mailbox/0012.problem.md  what is wrong with the reply, until it is changed

Files stay where they are: a restarted campaign finds its open prompts, and replies given meanwhile.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..types import Completion
from .base import SKIPPED, ErrorKind, LeftOpen, ModelError, Request

POLL_SECONDS = 0.25
SETTLED_SECONDS = 0.2
"""A reply counts as written when its file has not changed for this long."""
MOST_BYTES = 256 * 1024
MOST_SHOWN = 1024 * 1024
SKIP = "skip"
"""A reply of this one word rejects the proposal, and says nothing against whoever answers."""


class LetterState(StrEnum):
    """How far a prompt of the mailbox is."""

    OPEN = "open"
    PROBLEM = "problem"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Letter:
    """A prompt of the mailbox: its name (`0012`, `0012-repair`), state and files."""

    name: str
    state: LetterState
    prompt: Path
    reply: Path
    problem: str | None


def letters(mailbox: Path) -> list[Letter]:
    """All prompts of a mailbox in the order of their questions; an empty list when there is none."""
    rows = []
    for path in sorted(mailbox.glob("[0-9]*.md"), key=_place):
        if path.name.endswith((".reply.md", ".problem.md", ".stale.md")) or not _is_plain(path):
            continue
        reply = path.with_suffix(".reply.md")
        problem = path.with_suffix(".problem.md")
        sentence = shown(problem).strip() if _is_plain(problem) else None
        state = LetterState.ANSWERED if reply.exists() else LetterState.OPEN
        rows.append(Letter(path.stem, LetterState.PROBLEM if sentence else state, path, reply, sentence))
    return rows


def _place(path: Path) -> tuple[int, int, str]:
    """Iteration and round of a file by its name, then the name: notes, the question, its repair."""
    number, _, rest = path.name.split(".")[0].partition("-")
    turn = rest.removeprefix("turn")
    round = int(turn) if turn.isdecimal() else {"notes": 0, "": 1}.get(rest, 2)
    return int(number) if number.isdecimal() else 0, round, path.name


def shown(path: Path) -> str:
    """A mailbox file for a person, at most `MOST_SHOWN` bytes; the folder may belong to another user."""
    with path.open("rb") as stream:
        return stream.read(MOST_SHOWN).decode("utf-8", "replace")


def put_reply(mailbox: Path, name: str, text: str) -> Path:
    """Writes the reply to a prompt at once and whole; returns its path.

    Raises:
        KeyError: the mailbox holds no prompt of this name.
    """
    if not (mailbox / f"{name}.md").exists():
        raise KeyError(name)
    path = mailbox / f"{name}.reply.md"
    _write(path, text)
    return path


def _write(path: Path, text: str) -> None:
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)  # a link there would be followed
    with partial.open("x", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(partial, path)


def _is_plain(path: Path) -> bool:
    """Whether a path is a file of the mailbox itself: no link to elsewhere, no pipe that never answers."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


class ManualModel:
    """A model whose replies are files; several prompts may be open at a time."""

    def __init__(self, mailbox: Path) -> None:
        self._mailbox = mailbox
        self._closed = threading.Event()

    @property
    def name(self) -> str:
        """The specification."""
        return "manual"

    def complete(self, request: Request) -> Completion:
        """Puts the prompt into the mailbox and waits for a reply that can be used; see `Model`."""
        names = ("-notes", "", "-repair") if request.talk is None else ("-notes", "")
        rounds = request.round
        stem = f"{request.iteration:04d}" + (names[rounds] if rounds < len(names) else f"-turn{rounds}")
        path = self._mailbox / f"{stem}.md"
        self._put_prompt(path, request)
        started = time.monotonic()
        seen: bytes | None = None
        while not self._closed.wait(POLL_SECONDS):
            data = _settled(path.with_suffix(".reply.md"))
            if data is None or data == seen:
                continue
            seen = data
            completion, complaint = _read(data, request, time.monotonic() - started)
            problem = path.with_suffix(".problem.md")
            if complaint is None:
                problem.unlink(missing_ok=True)
                return completion
            _write(problem, complaint + "\n")
        raise LeftOpen(f"the campaign is ending; {path.name} stays open in the mailbox")

    def leave(self) -> None:
        """See `Leavable`; the prompts stay open."""
        self._closed.set()

    def close(self) -> None:
        """Ends all waits; the prompts stay open."""
        self.leave()

    def _put_prompt(self, path: Path, request: Request) -> None:
        if self._mailbox.is_symlink():
            raise ModelError(ErrorKind.REQUEST, f"{self._mailbox}: a link, expected a folder of the run")
        self._mailbox.mkdir(parents=True, exist_ok=True)
        prompt = request.prompt
        text = (
            f"<!-- Reply in {path.stem}.reply.md beside this file; `{SKIP}` alone skips this prompt. -->\n\n"
            f"{prompt.system.strip()}\n\n---\n\n{prompt.user.strip()}\n"
        )
        reply = path.with_suffix(".reply.md")
        if _is_plain(path) and path.read_text(encoding="utf-8") != text and reply.exists():
            os.replace(reply, path.with_suffix(".stale.md"))
        _write(path, text)


def _settled(path: Path) -> bytes | None:
    """A file's content, None while it is missing, empty, or still being written."""
    try:
        # A file from a machine whose clock is ahead counts as written: its age is below 0 for long.
        if not _is_plain(path) or 0 <= time.time() - path.stat().st_mtime < SETTLED_SECONDS:
            return None
        with path.open("rb") as stream:
            return stream.read(MOST_BYTES + 1) or None
    except OSError:
        return None


def _read(data: bytes, request: Request, seconds: float) -> tuple[Completion, str | None]:
    """The completion that a reply file holds, and a sentence on its fault; None if it has no fault."""
    if len(data) > MOST_BYTES:
        return Completion("", "manual"), f"the reply has more than {MOST_BYTES} bytes"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return Completion("", "manual"), f"the reply is no UTF-8 text: {error}"
    if text.strip().lower() == SKIP:
        return Completion(text, "manual", 0, 0, 0.0, seconds, SKIPPED), None
    completion = Completion(text, "manual", 0, 0, 0.0, seconds, "stop")
    return completion, request.check(text) if request.check is not None else None
