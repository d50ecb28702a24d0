"""A model's reply becomes a program's text, or a reason why it cannot: fences, blocks, edits.

A reply holds a whole program in a fence, or SEARCH/REPLACE hunks (the form that aider made common). Text is
only compared and cut here: nothing is parsed as Python and nothing is run. Programs are shown with marks that
are broken by dots, so no line of a program ends the fence or hunk that a model copies it into. The dots go
once a reply has been taken apart.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...prompts.marks import restore
from ..types import RejectionReason
from .reply_text import ReplyEnding, answer_of

# The fences of a reply, and the parts of a reply that hold a program each.

SEARCH = re.compile(r"^\s*+<{5,9}+\s*+SEARCH\b.*$")
"""The line that begins a hunk; some models name a file or lines after it, or close a fence."""
_FENCE = re.compile(r"^[ ]{0,3}(?P<marks>`{3,}+|~{3,}+)(?P<info>[^\n`]*+)$")
_PYTHON = ("", "python", "py", "python3")


def defined(entry_point: str) -> re.Pattern[str]:
    """Matches the line that defines the entry point."""
    return re.compile(rf"^[ \t]*+(async\s++def|def|class)\s++{re.escape(entry_point)}\b", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fence:
    """The text of a fence; `end` is the number of the line after it, counted from 0."""

    text: str
    python: bool
    closed: bool
    end: int


def fences(reply: str) -> list[Fence]:
    """All fences of a reply in order; the last may be open."""
    found: list[Fence] = []
    marks = ""
    info = ""
    lines: list[str] = []
    for number, line in enumerate(reply.split("\n"), 1):
        match = _FENCE.match(line)
        if not marks and match:
            marks = match["marks"]
            info = match["info"].strip().lower()
            lines = []
        elif marks and match and match["marks"].startswith(marks) and not match["info"].strip():
            found.append(Fence("\n".join(lines), info.split(" ")[0] in _PYTHON, True, number))
            marks = ""
        elif marks:
            lines.append(line)
    if marks:
        found.append(Fence("\n".join(lines), info.split(" ")[0] in _PYTHON, False, number))
    return found


def dedent(text: str) -> str:
    """Text without the indentation that all of its first-level lines share (fences inside lists)."""
    lines = text.split("\n")
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines)


START = "# EVOLVE-BLOCK-START"
END = "# EVOLVE-BLOCK-END"
MOST_CHARACTERS = 1_000_000
"""Of a reply without its thoughts; a program has at most a sixteenth of that."""
SECONDS = 10.0
"""CPU time after which a reply that is still being taken apart is given up."""
_DIVIDE = re.compile(r"^\s*+={5,9}+\s*+(?:`{3,}|REPLACE\b.*)?$")
_REPLACE = re.compile(r"^\s*+>{5,9}+\s*+REPLACE\b.*$")
_WORK = 500_000  # hunks times lines (count): more is no edit, and would take minutes to look up
_WORK_CHARACTERS = 50_000_000  # hunks times characters of the program that they make
_MOST_PLACES = 10


class EditError(ValueError):
    """A reply cannot be applied.

    Attributes:
        reason: from the closed list of rejections.
        sentence: what was wrong, fit for a repair prompt.
    """

    def __init__(self, reason: RejectionReason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
        self.sentence = sentence


class Deadline:
    """The CPU time of this thread until a reply is given up, from the deadline's construction."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._end = time.thread_time() + seconds

    def check(self) -> None:
        """Raises an `EditError` once the time is up."""
        if time.thread_time() > self._end:
            raise EditError(RejectionReason.TOO_LARGE, "the reply takes too long to be taken apart")


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines to find and the lines that replace them."""

    search: tuple[str, ...]
    replace: tuple[str, ...]


def apply_reply(reply: str, parent: str, entry_point: str, ended: ReplyEnding = ReplyEnding.WHOLE) -> str:
    """The new text of a program.

    Args:
        reply: a model's text as it came.
        parent: text of the program that was to be changed; regions outside its EVOLVE-BLOCKs, if it has any,
            stay as they are.
        entry_point: name that a whole program defines.
        ended: how the reply ended; one that was cut holds no program, and where that is not known, an open
            fence holds none.

    Raises:
        EditError: no code, or it does not fit the parent.
    """
    deadline = Deadline()
    answer = answer_of(reply.replace("\r\n", "\n"))
    reply = answer.text
    if ended is ReplyEnding.CUT:
        raise EditError(RejectionReason.NO_CODE, "the reply was cut before its end: it was too long")
    if answer.open and not reply.strip():
        raise EditError(RejectionReason.NO_CODE, "the reply ends inside its thoughts; end them, then answer")
    if len(reply) > MOST_CHARACTERS:
        raise EditError(
            RejectionReason.TOO_LARGE,
            f"the reply has {len(reply):,} characters, expected at most {MOST_CHARACTERS:,}",
        )
    if hunks := find_hunks(reply, deadline):
        return _tidy(apply_hunks(parent, hunks, deadline))
    text = restore(find_program(reply, entry_point, ended is ReplyEnding.UNKNOWN, parent, deadline))
    return _tidy(splice(parent, text)) if START in parent else _tidy(text)


def _tidy(text: str) -> str:
    return text.strip("\n") + "\n"


def find_program(
    reply: str, entry_point: str, cut: bool = False, parent: str = "", deadline: Deadline | None = None
) -> str:
    """The whole program of a reply: the last fence that defines the entry point, else the longest.

    Fences that quote the parent count where there is no other: replies show what was there before.

    Raises:
        EditError: `NO_CODE` when there is no fence with code, or the only one was cut off; `TOO_LARGE` when
            the deadline passes.
    """
    deadline = deadline or Deadline()
    defines = defined(entry_point)
    code = [fence for fence in fences(reply) if fence.python and fence.text.strip()]
    whole = [fence for fence in code if fence.closed or not cut]
    if code and not whole:
        raise EditError(
            RejectionReason.NO_CODE, "the reply ends in the middle of the program: it was too long"
        )
    lines = _plain_lines(parent)
    others = []
    for fence in whole:
        deadline.check()
        if f"\n{_plain_lines(restore(fence.text))}\n" not in f"\n{lines}\n":
            others.append(fence)
    whole = others or whole
    named = [fence.text for fence in whole if defines.search(fence.text)]
    if named:
        return dedent(named[-1])
    if whole:
        return dedent(max((fence.text for fence in whole), key=len))
    if (
        defines.search(reply)
        and not cut
        and reply.lstrip().startswith(("import ", "from ", "def ", "class ", "#"))
    ):
        return reply
    raise EditError(RejectionReason.NO_CODE, "the reply holds no program in a ```python fence and no hunk")


def _plain_lines(text: str) -> str:
    """The lines of a text, whatever their indentation and the blank lines between."""
    return "\n".join(filter(None, map(_indentation, text.split("\n"))))


def find_hunks(reply: str, deadline: Deadline | None = None) -> list[Hunk]:
    """All SEARCH/REPLACE hunks of a reply, in order, inside or outside of fences.

    Raises:
        EditError: `HUNK_NOT_FOUND` when a hunk is begun and not ended, or its parts are out of order.
    """
    hunks: list[Hunk] = []
    search: list[str] | None = None
    replace: list[str] | None = None
    deadline = deadline or Deadline()
    for line in reply.split("\n"):
        deadline.check()
        if SEARCH.match(line):
            if search is not None:
                raise _broken(len(hunks) + 1)
            search = []
            replace = None
        elif search is None:
            continue
        elif _DIVIDE.match(line) and replace is None:
            replace = []
        elif _REPLACE.match(line):
            if replace is None:
                raise _broken(len(hunks) + 1)
            hunks.append(Hunk(tuple(map(restore, search)), tuple(map(restore, replace))))
            search = None
        else:
            (search if replace is None else replace).append(line)
    if search is not None:
        raise _broken(len(hunks) + 1)
    return hunks


def _broken(number: int) -> EditError:
    return EditError(
        RejectionReason.HUNK_NOT_FOUND,
        f"hunk {number} is incomplete: expected <<<<<<< SEARCH, =======, >>>>>>> REPLACE, each on a line",
    )


def apply_hunks(parent: str, hunks: list[Hunk], deadline: Deadline | None = None) -> str:
    """The parent with all hunks applied in order, each inside one EVOLVE-BLOCK if the parent has any.

    Raises:
        EditError: `HUNK_NOT_FOUND` when a hunk matches nowhere or more than once; nothing is applied then.
    """
    pieces = _pieces(parent)
    lines = parent.count("\n") + sum(len(hunk.replace) for hunk in hunks)
    characters = len(parent) + sum(len(line) for hunk in hunks for line in (*hunk.search, *hunk.replace))
    if len(hunks) * lines > _WORK or len(hunks) * characters > _WORK_CHARACTERS:
        raise EditError(RejectionReason.TOO_LARGE, f"{len(hunks)} hunks are more than a program can need")
    deadline = deadline or Deadline()
    room = MOST_CHARACTERS  # for the indentation that is added: lines of a hunk can be short and go in deep
    for number, hunk in enumerate(hunks, 1):
        deadline.check()
        if not any(line.strip() for line in hunk.search):
            raise EditError(RejectionReason.HUNK_NOT_FOUND, f"hunk {number} has an empty SEARCH part")
        if any(mark in line for line in hunk.replace for mark in (START, END)):
            raise EditError(RejectionReason.HUNK_NOT_FOUND, f"hunk {number} would write an EVOLVE-BLOCK mark")
        for tolerance in (_exact, _trailing, _indentation):
            places = [
                (index, at)
                for index, piece in enumerate(pieces)
                if piece.open
                for at in _matches(piece.lines, hunk.search, tolerance)
            ]
            if places:
                break
        if len(places) != 1:
            raise EditError(RejectionReason.HUNK_NOT_FOUND, _misfit(number, hunk, len(places), pieces))
        index, at = places[0]
        old = pieces[index].lines
        length = len(_trimmed(hunk.search))
        (shift,) = _shifts(_trimmed(hunk.search), old[at : at + length])
        room -= max(0, shift) * len(hunk.replace)
        if room < 0:
            raise EditError(RejectionReason.TOO_LARGE, f"hunk {number} would be indented too deeply")
        new = _shifted(_trimmed(hunk.replace), shift)
        pieces[index] = _Piece([*old[:at], *new, *old[at + length :]], True)
    return "\n".join(line for piece in pieces for line in piece.lines)


def _misfit(number: int, hunk: Hunk, matches: int, pieces: list[_Piece]) -> str:
    first = next(line for line in hunk.search if line.strip()).strip()[:80]
    if matches > 1:
        many = f"{_MOST_PLACES} or more" if matches >= _MOST_PLACES else str(matches)
        return f"hunk {number} (begins {first!r}) matches {many} places; give more lines around it"
    closed = [piece for piece in pieces if not piece.open]
    if any(_matches(piece.lines, hunk.search, _indentation) for piece in closed):
        return f"hunk {number} (begins {first!r}) lies outside the EVOLVE-BLOCK, where nothing may change"
    lines = [line for piece in pieces if piece.open for line in piece.lines]
    return f"hunk {number} matches nothing in the program: {_deviation(_trimmed(hunk.search), lines)}"


def _deviation(search: tuple[str, ...], lines: Sequence[str]) -> str:
    """Where the lines of a hunk deviate from those of a program that match the most of them."""
    wanted, shown = [list(map(_indentation, texts)) for texts in (search, lines)]
    if not shown:
        return "the EVOLVE-BLOCK holds no line; write the whole program"
    if len(wanted) * len(shown) > _WORK:
        return "copy its lines exactly"

    def common(at: int) -> int:
        pairs = enumerate(zip(wanted, shown[at : at + len(wanted)], strict=False))
        return next((n for n, (one, other) in pairs if one != other), min(len(wanted), len(shown) - at))

    at = max(range(len(shown)), key=common)
    length = common(at)
    if length == len(wanted):
        return "its lines stand there with another indentation against each other"
    text = search[length].strip()[:80]
    if length:
        there = repr(lines[at + length].strip()[:80]) if at + length < len(lines) else "the end"
        return f"its line {length + 1} is {text!r}, and line {at + length + 1} of the program is {there}"
    if part := next((n for n, line in enumerate(shown, 1) if wanted[0] in line), None):
        return f"its first line, {text!r}, is only a part of line {part}; a hunk holds whole lines"
    return f"its first line, {text!r}, is no line of the program; copy lines exactly"


@dataclass(frozen=True, slots=True)
class _Piece:
    """Consecutive lines that may change (open) or may not."""

    lines: list[str]
    open: bool


def _pieces(text: str) -> list[_Piece]:
    """A text cut at its EVOLVE-BLOCK marks; the marks themselves stay closed. Without marks all is open.

    Raises:
        EditError: `NO_CODE` when the marks do not pair up.
    """
    if START not in text and END not in text:
        return [_Piece(text.split("\n"), True)]
    pieces = [_Piece([], False)]
    for line in text.split("\n"):
        starts = line.strip().startswith(START)
        ends = line.strip().startswith(END)
        if (starts and pieces[-1].open) or (ends and not pieces[-1].open):
            raise EditError(RejectionReason.NO_CODE, f"{START} and {END} do not pair up")
        if ends:
            pieces.append(_Piece([line], False))
        else:
            pieces[-1].lines.append(line)
        if starts:
            pieces.append(_Piece([], True))
    if pieces[-1].open:
        raise EditError(RejectionReason.NO_CODE, f"{START} is not followed by {END}")
    return pieces


def open_lines(text: str) -> list[tuple[int, int]]:
    """First line and end of each EVOLVE-BLOCK's contents, counted from 0.

    Raises:
        EditError: `NO_CODE` when the marks do not pair up.
    """
    spans = []
    at = 0
    for piece in _pieces(text):
        if piece.open:
            spans.append((at, at + len(piece.lines)))
        at += len(piece.lines)
    return spans


def splice(parent: str, text: str) -> str:
    """The parent with the contents of its EVOLVE-BLOCKs taken from a text that marks as many.

    Raises:
        EditError: `NO_CODE` when the text does not mark as many blocks.
    """
    outside = _pieces(parent)
    blocks = [piece for piece in _pieces(text) if piece.open] if START in text else []
    wanted = sum(piece.open for piece in outside)
    if len(blocks) != wanted:
        raise EditError(
            RejectionReason.NO_CODE,
            f"the program has {wanted} region(s) between {START} and {END}, the reply marks {len(blocks)}",
        )
    contents = iter(blocks)
    return "\n".join(
        line for piece in outside for line in (next(contents).lines if piece.open else piece.lines)
    )


def _exact(line: str) -> str:
    return line


def _trailing(line: str) -> str:
    return line.rstrip()


def _indentation(line: str) -> str:
    return " ".join(line.split())


def _matches(lines: list[str], search: tuple[str, ...], tolerance: Callable[[str], str]) -> list[int]:
    """Indices at which the trimmed search lines occur, as far as the tolerance looks; at most `_MOST_PLACES`.

    A place that is indented differently counts only if all of its lines are moved by as much: each line is
    indented against the one before as in the search lines. Every different text and indentation becomes a
    character, two a line, so that each occurrence is a match and the search takes time in proportion.
    """
    first, *others = _keys(_trimmed(search), tolerance)
    letters: dict[str | int, str] = {}
    text = "".join(
        _letter(letters, part) for text, shift in _keys(lines, tolerance) for part in (shift, text)
    )
    parts = [first[0], *(part for text, shift in others for part in (shift, text))]
    if any(part not in letters for part in parts):
        return []
    wanted = "".join(letters[part] for part in parts)
    places: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(places) < _MOST_PLACES:
        places.append(at // 2)
        at = text.find(wanted, at + 1)
    return places


def _letter(letters: dict[str | int, str], part: str | int) -> str:
    """The character that stands for a line's text or indentation; none of them is half of a pair."""
    number = len(letters)
    return letters.setdefault(part, chr(number if number < 0xD800 else number + 0x800))


def _keys(lines: Sequence[str], tolerance: Callable[[str], str]) -> list[tuple[str, int]]:
    """Each line as the tolerance sees it, and its indentation against the line before that is not blank."""
    keys: list[tuple[str, int]] = []
    before = 0
    for line in lines:
        indentation = len(line) - len(line.lstrip())
        if line.strip():
            keys.append((tolerance(line), indentation - before))
            before = indentation
        else:
            keys.append((tolerance(line), 0))
    return keys


def _shifts(search: tuple[str, ...], found: list[str]) -> set[int]:
    """By how many columns the lines found are indented deeper than the search lines."""
    return {
        (len(have) - len(have.lstrip())) - (len(want) - len(want.lstrip()))
        for want, have in zip(search, found, strict=True)
        if want.strip()
    }


def _trimmed(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lines without the blank ones at either end."""
    filled = [index for index, line in enumerate(lines) if line.strip()]
    return lines[filled[0] : filled[-1] + 1] if filled else ()


def _shifted(replace: tuple[str, ...], shift: int) -> list[str]:
    """The replacement, moved by as many columns as the place is indented deeper than the search lines."""
    if shift >= 0:
        return [" " * shift + line if line.strip() else line for line in replace]
    return [line[min(-shift, len(line) - len(line.lstrip())) :] for line in replace]
