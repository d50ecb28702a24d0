"""Replies: the programs that one holds and the idea it states; apart from the proposer that asks."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from ...prompts.text import shortened
from ...sandbox.unseen import clean
from ..admission import Fault
from ..types import Completion, Examination, Prompt, Rejection, RejectionReason
from .edits import EditError, apply_reply, programs_of
from .ensemble import Arm
from .reply_text import ReplyEnding, ending, without_thoughts

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

    def __init__(
        self, files: Mapping[str, str], entry_point: str, examine: Examine | None, programs: int = 1
    ) -> None:
        """Takes the files to change, what they define, how they are examined, and how many programs come."""
        self._files = files
        self._entry_point = entry_point
        self._examine = examine
        self._programs = programs
        self._examined: dict[str, Examination | Fault] = {}

    def part(self, text: str, program: int = 1) -> str | None:
        """What a reply says of one of its programs (1-based); None if it holds fewer."""
        parts = self._parts(text)
        return parts[program - 1] if program <= len(parts) else None

    def _parts(self, text: str) -> list[str]:
        return programs_of(text, self._entry_point, self._programs)

    def read(self, completion: Completion, program: int = 1) -> ProgramReading | Fault:
        """The files of one of a reply's programs (1-based), or why there are none."""
        main, parent = next(iter(self._files.items()))
        parts = self._parts(completion.text)
        if program > len(parts):
            return RejectionReason.NO_CODE, f"the reply holds fewer than {program} programs"
        ended = ending(completion.finish_reason) if program == len(parts) else ReplyEnding.WHOLE
        try:
            text = apply_reply(parts[program - 1], parent, self._entry_point, ended)
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
        """The fault of a reply's text, None without one; fewer programs than asked for are no fault."""
        for program in range(1, self._programs + 1):
            if program > 1 and self.part(text, program) is None:
                break
            read = self.read(Completion(text, ""), program)
            if not isinstance(read, ProgramReading):
                where = f"program {program}: " if self._programs > 1 else ""
                return f"{where}{read[0].value}: {read[1]}"
        return None


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to a prompt.

    Attributes:
        arm: arm of the model that replied.
        prompt: the prompt that the reply answers.
        completion: the reply, unchanged.
        reading: what reads it; None for an answer of an earlier session.
    """

    arm: Arm
    prompt: Prompt
    completion: Completion
    reading: ReplyReader | None = None


class SharedReplies:
    """Answers that several iterations share, by the first of them; thread-safe."""

    def __init__(self, earlier: Mapping[int, Reply | Rejection]) -> None:
        """Takes the answers of an earlier session whose programs were not all told."""
        self._lock = threading.Lock()
        self._answers: dict[int, Future[Reply | Rejection]] = {}
        for first, answer in earlier.items():
            self.of(first).set_result(answer)

    def of(self, first: int) -> Future[Reply | Rejection]:
        """The answer that an iteration asks for, or the wait for it."""
        with self._lock:
            return self._answers.setdefault(first, Future())

    def ask(self, first: int, question: Callable[[], Reply | Rejection]) -> Reply | Rejection:
        """Asks, and hands the answer, or the error, to all that share it."""
        answer = self.of(first)
        try:
            answer.set_result(question())
        except BaseException as error:
            answer.set_exception(error)
            raise
        return answer.result()


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
