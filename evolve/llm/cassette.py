"""Replies from files: a cassette of calls with their prompts, or a script of replies alone.

A cassette holds no key, no header and no address, so it can be published and replayed anywhere.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..course import Course
from ..types import Completion, Prompt
from .base import Call, CallTurn, ErrorKind, ModelError, Request
from .prompt_register import timeless, without_seconds

if TYPE_CHECKING:
    from pydantic import TypeAdapter


@dataclass(frozen=True, slots=True)
class Exchange:
    """A prompt of an ask, which model was asked for what, and the reply or failure.

    Attributes:
        completion: the reply that was used; with `error` the useless one, None if nothing arrived.
        error: why there was no usable reply, None when there was one.
        sentence: what was said of a useless reply, which its repair quotes; a provider's own words on other
            errors stay with the run.
        name: what the ask was counted by, which tells models of one specification apart (`improve openai/x
            #2`); empty where that is not known.
    """

    iteration: int
    round: int
    model: str
    operator: str
    prompt: Prompt
    completion: Completion | None
    parameters: Mapping[str, Any]
    error: ErrorKind | None = None
    sentence: str = ""
    name: str = ""


class MissingReply(ModelError):
    """A record has no reply to a prompt.

    Attributes:
        where: which prompt, and the line in which it differs from the recorded one.
        recorded, now: that line; None past the end, or if no prompt is recorded.
    """

    def __init__(self, name: str, request: Request, recorded: Prompt | None) -> None:
        super().__init__(
            ErrorKind.REQUEST,
            f"{name}: no reply is recorded for iteration {request.iteration}, round "
            f"{request.round} and prompt {request.prompt.digest[:12]}; either that campaign ended "
            "earlier, or this one differs from it (problem, configuration, templates, version)",
        )
        self.where = f"iteration {request.iteration}: prompt" + (
            " of the repair" if request.round > 1 else ""
        )
        self.recorded: str | None = None
        self.now: str | None = request.prompt.user.partition("\n")[0]
        if recorded is not None:
            texts = [
                without_seconds(f"{p.system}\n{p.user}").splitlines() for p in (recorded, request.prompt)
            ]
            lines = enumerate(zip_longest(*texts), start=1)
            number, (self.recorded, self.now) = next(line for line in lines if line[1][0] != line[1][1])
            self.where += f", line {number}"


class Replies(Protocol):
    """Where the replies of another run are found."""

    @property
    def course(self) -> Course | None:
        """In which order that run asked and told; None if it told in the order of asking."""

    def recorded(self, iteration: int, round: int, prompt: Prompt) -> Exchange | None:
        """What is recorded for an ask, its round and a prompt that differs at most in measured seconds."""

    def prompt(self, iteration: int, round: int) -> Prompt | None:
        """The recorded prompt of an ask and its round, None if there is none."""

    def chosen(self, iteration: int) -> tuple[str, str] | None:
        """The operator of an ask's first question and the name it was counted by, None if not recorded."""


class Cassette:
    """Exchanges in memory: a `CallLog` for runs without a store, and `Replies` of a file. Thread-safe.

    Args:
        exchanges: what was recorded.
        course: how asks and outcomes followed each other; None if outcomes were told in the order of asking.
        names: what asks were counted by, for those without an exchange.
    """

    def __init__(
        self,
        exchanges: Iterable[Exchange] = (),
        course: Course | None = None,
        names: Mapping[int, str] | None = None,
    ) -> None:
        self._course = course
        self._lock = threading.Lock()
        self._exchanges = {(e.iteration, e.round, e.prompt.digest): e for e in exchanges}
        self._timeless = {(i, r, timeless(e.prompt)): e for (i, r, _), e in self._exchanges.items()}
        self._prompts = {(e.iteration, e.round): e.prompt for e in self._exchanges.values()}
        several = len({e.model for e in self._exchanges.values()}) > 1
        self._chosen = {n: (name.partition(" ")[0], name) for n, name in (names or {}).items()}
        self._chosen |= {
            e.iteration: (e.operator, e.name or (f"{e.operator} {e.model}" if several else e.operator))
            for e in self._exchanges.values()
            if e.round == 1
        }
        self._calls: list[Call] = []
        self.errors: list[ModelError] = []
        self.notes: list[str] = []

    @property
    def course(self) -> Course | None:
        """See `Replies`."""
        return self._course

    @property
    def exchanges(self) -> list[Exchange]:
        """Exchanges in the order of asks and rounds."""
        with self._lock:
            return [self._exchanges[key] for key in sorted(self._exchanges)]

    @property
    def calls(self) -> list[Call]:
        """Every attempt of this session, in the order of sending."""
        with self._lock:
            return list(self._calls)

    def requested(self, call: Call) -> int:
        """See `CallLog`."""
        with self._lock:
            self._calls.append(call)
            return len(self._calls)

    def replied(self, number: int, completion: Completion) -> None:
        """See `CallLog`."""
        with self._lock:
            call = self._calls[number - 1]
            request = call.request
            self._exchanges[request.iteration, request.round, request.prompt.digest] = Exchange(
                request.iteration,
                request.round,
                call.model,
                call.operator,
                request.prompt,
                completion,
                call.parameters,
            )

    def failed(self, number: int, error: ModelError) -> None:
        """See `CallLog`."""
        with self._lock:
            self.errors.append(error)

    def noted(self, sentence: str) -> None:
        """See `CallLog`."""
        with self._lock:
            if sentence not in self.notes:
                self.notes.append(sentence)

    def reply(self, iteration: int, round: int, digest: str) -> Completion | None:
        """See `CallLog`."""
        with self._lock:
            exchange = self._exchanges.get((iteration, round, digest))
        return None if exchange is None else exchange.completion

    def turns(self, first: int, last: int) -> list[CallTurn]:
        """See `CallLog`."""
        return [
            CallTurn(e.iteration, e.round, e.model, e.operator, e.prompt, e.completion)
            for e in self.exchanges
            if first <= e.iteration <= last
        ]

    def recorded(self, iteration: int, round: int, prompt: Prompt) -> Exchange | None:
        """See `Replies`; only of exchanges that were given at construction."""
        return self._timeless.get((iteration, round, timeless(prompt)))

    def prompt(self, iteration: int, round: int) -> Prompt | None:
        """See `Replies`; only of exchanges that were given at construction."""
        return self._prompts.get((iteration, round))

    def chosen(self, iteration: int) -> tuple[str, str] | None:
        """See `Replies`; only of exchanges that were given at construction."""
        return self._chosen.get(iteration)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The lines of its file as objects: the course if there is one, then one for each exchange."""
        if self._course is not None:
            course = self._course
            yield {"steps": list(course.steps), "late": sorted(course.late), "open": sorted(course.open)}
        yield from map(_row, self.exchanges)

    def save(self, path: Path) -> None:
        """Writes one JSON object a line (UTF-8); only a line feed ends a line, for texts hold others."""
        lines = [json.dumps(row, ensure_ascii=False) for row in self.rows()]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")

    @classmethod
    def load(cls, path: Path) -> Cassette:
        """The cassette of a file.

        Raises:
            ModelError: `REQUEST`, naming file and line, when a line is no exchange.
            OSError: the file cannot be read.
        """
        exchanges: list[Exchange] = []
        course: Course | None = None
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8"))
                if "steps" in row:
                    sets = (frozenset(map(int, row.get(key, ()))) for key in ("late", "open"))
                    course = Course(tuple(map(int, row["steps"])), *sets)
                    continue
                exchanges.append(_exchange(row))
            except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
                raise ModelError(
                    ErrorKind.REQUEST,
                    f"{path} line {number}: no recorded exchange ({_why(error)}); expected a JSON object as "
                    "`gapsmith export RUN --what cassette` writes it; export the run again, or mend the line",
                ) from None
        return cls(exchanges, course)


def _exchange(row: dict[str, Any]) -> Exchange:
    """A line's exchange; the constructors refuse unknown keys, the adapter values of another type."""
    row["prompt"] = Prompt(**row["prompt"])
    row["completion"] = row["completion"] and Completion(**row["completion"])
    row["error"] = row.get("error") and ErrorKind(row["error"])
    return _adapter().validate_python(asdict(Exchange(**row)))


@cache
def _adapter() -> TypeAdapter[Exchange]:
    from pydantic import TypeAdapter  # views of a run read no cassette from a file

    return TypeAdapter(Exchange)


def _why(error: Exception) -> str:
    """One clause on a line that cannot be read."""
    from pydantic import ValidationError

    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1} is no UTF-8"
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'][0].lower()}{first['msg'][1:]}"
    if isinstance(error, KeyError):
        return f"it lacks {error}"
    return str(error)


def _row(exchange: Exchange) -> dict[str, Any]:
    """An exchange as a plain object, a line of a cassette; paths in specifications are left out."""
    row = asdict(exchange)
    row["model"] = _without_path(exchange.model)
    row["name"] = exchange.name.replace(exchange.model, row["model"])
    if exchange.completion is not None:
        row["completion"]["model"] = _without_path(exchange.completion.model)
    return row


def _without_path(spec: str) -> str:
    """A specification without the folders of the file that it names (`scripted/FILE`, `replay/FILE`)."""
    head, slash, rest = spec.partition("/")
    return f"{head}/{Path(rest).name}" if slash and head in ("scripted", "replay") else spec


class CassetteModel:
    """Answers from a record alone: no network, no cost.

    Args:
        name: the specification (`replay/RUN`, or the recorded model's own when a whole campaign is replayed).
    """

    def __init__(self, name: str, replies: Replies) -> None:
        self._name = name
        self._replies = replies

    @property
    def name(self) -> str:
        """The specification."""
        return self._name

    @property
    def course(self) -> Course | None:
        """The recorded order of asks and outcomes; see `Replies`."""
        return self._replies.course

    def chosen(self, iteration: int) -> tuple[str, str] | None:
        """The recorded operator of an ask, and its name; see `Replies`."""
        return self._replies.chosen(iteration)

    def asked(self, iteration: int, round: int) -> bool:
        """Whether a question of this ask and round is recorded."""
        return self._replies.prompt(iteration, round) is not None

    def prompt(self, iteration: int, round: int) -> Prompt | None:
        """The recorded prompt of an ask and its round; see `Replies`."""
        return self._replies.prompt(iteration, round)

    def complete(self, request: Request) -> Completion:
        """The recorded reply, or the recorded trouble; see `Model`."""
        exchange = self._replies.recorded(request.iteration, request.round, request.prompt)
        if exchange is None:
            recorded = self._replies.prompt(request.iteration, request.round)
            raise MissingReply(self._name, request, recorded)
        if exchange.error is not None or exchange.completion is None:
            kind = exchange.error or ErrorKind.EMPTY
            sentence = exchange.sentence or f"{self._name}: the recorded call ended with {kind.value}"
            raise ModelError(kind, sentence, completion=exchange.completion)
        return exchange.completion


# `scripted/FILE`: replies read from a file, whatever is asked.


class ScriptedModel:
    """Answers each question with the text that a file holds for it.

    Of a JSON list the i-th text answers iteration i, starting anew at its end. A cassette (`*.jsonl`) answers
    each iteration and round with what is recorded there, to whatever prompt it was given.
    """

    def __init__(self, spec: str) -> None:
        self._name = spec
        path = Path(spec.removeprefix("scripted/"))
        self._texts: list[str] = []
        self._recorded: dict[tuple[int, int], str] = {}
        try:
            if path.suffix == ".jsonl":
                for exchange in Cassette.load(path).exchanges:
                    if exchange.completion is not None:
                        self._recorded[exchange.iteration, exchange.round] = exchange.completion.text
                return
            texts = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ModelError(ErrorKind.REQUEST, f"{spec}: cannot read {path} as JSON ({error})") from None
        if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
            raise ModelError(ErrorKind.REQUEST, f"{spec}: {path} must hold a JSON list of at least one text")
        self._texts = texts

    @property
    def name(self) -> str:
        """The specification (`scripted/FILE`)."""
        return self._name

    def complete(self, request: Request) -> Completion:
        """The text for the request's iteration and round; see `Model`."""
        if self._texts:
            text = self._texts[(request.iteration - 1) % len(self._texts)]
        elif (recorded := self._recorded.get((request.iteration, request.round))) is not None:
            text = recorded
        else:
            where = f"iteration {request.iteration}, round {request.round}"
            raise ModelError(ErrorKind.FILTERED, f"{self._name}: holds no reply for {where}")
        tokens = len(request.prompt.system) + len(request.prompt.user)
        return Completion(text, self._name, tokens // 4, len(text) // 4, finish_reason="stop")
