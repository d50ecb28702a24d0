"""Replies: the program that one holds and the idea it states; apart from the proposer that asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...prompts.text import shortened
from ...sandbox.unseen import clean
from ..admission import Fault
from ..types import Completion, Examination, Prompt, RejectionReason
from .edits import EditError, apply_reply
from .ensemble import Arm
from .reply_text import ending, without_thoughts

Examine = Callable[[Mapping[str, str]], Examination | Fault]

REPAIRABLE = (
    RejectionReason.NO_CODE,
    RejectionReason.HUNK_NOT_FOUND,
    RejectionReason.SYNTAX,
    RejectionReason.MISSING_ENTRY_POINT,
    RejectionReason.FORBIDDEN_IMPORT,
    RejectionReason.UNSEEN_CHARACTER,
    RejectionReason.TOO_LARGE,
)
"""What a repair round may mend."""


@dataclass(frozen=True, slots=True)
class ProgramReading:
    """The files that a program of a reply makes, and the result of examining them."""

    files: dict[str, str]
    examined: Examination | None


class ReplyReader:
    """Reads replies against the program that they change; a text that arrives twice is examined once."""

    def __init__(self, files: Mapping[str, str], entry_point: str, examine: Examine | None) -> None:
        """Takes the files to change, what they define, and how they are examined."""
        self._files = files
        self._entry_point = entry_point
        self._examine = examine
        self._examined: dict[str, Examination | Fault] = {}

    def read(self, completion: Completion) -> ProgramReading | Fault:
        """The files of a reply's program, or why there are none."""
        main, parent = next(iter(self._files.items()))
        try:
            ended = ending(completion.finish_reason)
            text = apply_reply(completion.text, parent, self._entry_point, ended)
        except EditError as error:
            return error.reason, error.sentence
        files = {**self._files, main: text}
        if self._examine is None:
            return ProgramReading(files, None)
        if text not in self._examined:  # a person's reply is read when it comes, and again
            self._examined = {**self._examined, text: self._examine(files)}
        examined = self._examined[text]
        return ProgramReading(files, examined) if isinstance(examined, Examination) else examined

    def complaint(self, text: str) -> str | None:
        """The fault of a reply's text, None without one."""
        read = self.read(Completion(text, ""))
        return None if isinstance(read, ProgramReading) else f"{read[0].value}: {read[1]}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a prompt.

    Attributes:
        arm: arm of the model that replied.
        prompt: the prompt that the reply answers.
        completion: the reply, unchanged.
        reading: what reads it.
    """

    arm: Arm
    prompt: Prompt
    completion: Completion
    reading: ReplyReader


# The sentence in which a reply says what it changes and why.

MOST_CHARACTERS = 1200
"""Of a sentence that is kept; longer ones are cut after a sentence or a word."""
_CODE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,}|\s*<{5,9}\s*SEARCH)")
_DECORATION = re.compile(r"^[\s#>*_\-]+|[*_`]{2,}")

_LABEL = re.compile(r"\w+ (\d+|[A-Z])[ .:)]*")
"""Says which program follows, and nothing of it."""


def idea_of(reply: str) -> str:
    """The prose of a reply on one line: what stands before its first code, else after its last.

    Empty for a reply of code alone.
    """
    lines = without_thoughts(reply).split("\n")
    marks = [number for number, line in enumerate(lines) if _CODE.match(line)]
    before, after = (lines[: marks[0]], lines[marks[-1] + 1 :]) if marks else (lines, [])
    return _one_line(before) or _one_line(after)


def _one_line(lines: list[str]) -> str:
    """The first paragraph that says something, without Markdown's decoration, cut to its limit."""
    paragraphs = "\n".join(_DECORATION.sub("", line) if line.strip() else "" for line in lines).split("\n\n")
    said = [p for p in paragraphs if len(p.split()) > 1 and not _LABEL.fullmatch(p.strip())]
    text = " ".join(clean(said[0]).split()) if said else ""
    return shortened(text, MOST_CHARACTERS)
