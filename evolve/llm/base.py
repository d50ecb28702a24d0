"""The models' words: what is asked of a provider, what can go wrong, and what is recorded of a call.

A provider makes one attempt per call and sorts its own troubles into `ErrorKind`; retries, money and records
are the caller's (`caller.py`), the same for all providers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Protocol, runtime_checkable

from ...problems.base import Json
from ..types import Completion, Prompt

SKIPPED = "skipped"
"""Finish reason of a question that a person passes over."""


class ErrorKind(StrEnum):
    """What went wrong with one attempt (closed list)."""

    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    EMPTY = "empty"
    GARBAGE = "garbage"
    FILTERED = "filtered"
    TOO_LONG = "too_long"
    KEY = "key"
    UNKNOWN_MODEL = "unknown_model"
    MONEY = "money"
    REQUEST = "request"
    OVERRUN = "overrun"
    MISSING = "missing"
    CLOSED = "closed"


class Recourse(StrEnum):
    """What can be done: ask again for long, ask again a few times, reject the proposal, call a person."""

    WAIT = "wait"
    AGAIN = "again"
    REJECT = "reject"
    PERSON = "person"


RECOURSE: Mapping[ErrorKind, Recourse] = {
    ErrorKind.RATE_LIMIT: Recourse.WAIT,
    ErrorKind.SERVER: Recourse.WAIT,
    ErrorKind.TIMEOUT: Recourse.WAIT,
    ErrorKind.CONNECTION: Recourse.WAIT,
    ErrorKind.EMPTY: Recourse.AGAIN,
    ErrorKind.GARBAGE: Recourse.AGAIN,
    ErrorKind.FILTERED: Recourse.REJECT,
    ErrorKind.TOO_LONG: Recourse.REJECT,
}
"""Kinds that are not listed need a person."""


class ModelError(Exception):
    """One attempt, or a whole call, without a usable reply.

    Attributes:
        kind: from the closed list.
        sentence: what a person reads: the provider's own sentence where there is one, and how to fix it.
        retry_after: seconds the provider asked to wait, None when it did not say.
        unknown_outcome: whether the provider may have worked, and billed, although nothing usable arrived.
        completion: the useless reply that did arrive (empty, garbage), so that it is stored and booked.
        final: whether asking again is over, whatever the kind; a person must act.
    """

    def __init__(
        self,
        kind: ErrorKind,
        sentence: str,
        *,
        retry_after: float | None = None,
        unknown_outcome: bool = False,
        completion: Completion | None = None,
        final: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.sentence = sentence
        self.retry_after = retry_after
        self.unknown_outcome = unknown_outcome
        self.completion = completion
        self.final = final

    def __str__(self) -> str:
        return self.sentence

    @property
    def recourse(self) -> Recourse:
        """What can be done about it."""
        return Recourse.PERSON if self.final else RECOURSE.get(self.kind, Recourse.PERSON)


class LeftOpen(ModelError):
    """A person was still to answer when the campaign was stopped; the question stays open."""

    def __init__(self, sentence: str) -> None:
        super().__init__(ErrorKind.CLOSED, sentence)


class MissingExtra(ModelError):
    """A package that the model needs is not installed; the sentence names the install command."""

    def __init__(self, package: str, command: str) -> None:
        super().__init__(ErrorKind.MISSING, f"{package} is not installed; install it with: {command}")


@dataclass(frozen=True, slots=True)
class Turn:
    """A reply within a conversation, and the answers to the operations that it called, in their order."""

    reply: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A conversation as a server takes it apart; its prompt holds the same as one text.

    Attributes:
        opening: the user's first text.
        turns: what followed.
        tools: schemas of the operations as servers with function calling take them.
    """

    opening: str
    turns: tuple[Turn, ...]
    tools: tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        prompt: both texts.
        max_output_tokens: limit on the reply, reasoning included (tokens, ≥ 1).
        timeout_seconds: wall seconds for one attempt, > 0.
        iteration: number of the ask that it serves, 1-based.
        round: 1 for the first question of an ask, 2 for its repair, 0 for a page of notes before both; within
            an episode the questions of an ask from 1 on.
        check: a sentence that says what is wrong with a reply's text, None when nothing is; for providers
            behind which a person can read the news at once.
        talk: the conversation that the prompt holds; None for a single question.
    """

    prompt: Prompt
    max_output_tokens: int
    timeout_seconds: float
    iteration: int
    round: int = 1
    check: Callable[[str], str | None] | None = None
    talk: Transcript | None = None


class Model(Protocol):
    """A provider's model. Thread-safe: many threads call `complete` at once.

    Attributes:
        name: the specification it was built from (`openai/gpt-x`).
    """

    @property
    def name(self) -> str: ...

    def complete(self, request: Request) -> Completion:
        """The reply of one attempt; no retries.

        Raises:
            ModelError: there is no usable reply; says of what kind.
        """


@runtime_checkable
class Closable(Protocol):
    """A model that holds connections or threads."""

    def close(self) -> None:
        """Ends them; calls that wait end with `ErrorKind.CLOSED`."""


@runtime_checkable
class Leavable(Protocol):
    """A model, or a proposer, that may wait for a person."""

    def leave(self) -> None:
        """Ends the waits for people, now and from now on, with `LeftOpen`; safe to call twice."""


@runtime_checkable
class Parameterised(Protocol):
    """A model that says which parameters it sends, and, in notes, which ones its provider refused."""

    @property
    def parameters(self) -> Mapping[str, Json]: ...
    @property
    def notes(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens: input, output and cached input (None costs as much as input)."""

    input: Decimal
    output: Decimal
    cached: Decimal | None = None

    def cost(self, tokens_in: int, tokens_out: int, cached: int = 0) -> Decimal:
        """US dollars for token counts (≥ 0); `cached` is a part of `tokens_in`, at most all of it."""
        cached = min(cached, tokens_in)
        rate = self.input if self.cached is None else self.cached
        total = self.input * (tokens_in - cached) + rate * cached + self.output * tokens_out
        return total / 1_000_000


@dataclass(frozen=True, slots=True)
class Call:
    """One attempt as it is recorded before it is sent.

    Attributes:
        model: the model's specification.
        operator: what the prompt asks for (`improve`, `repair`, …).
        attempt: 1-based, within the request of this session.
        parameters: what was sent beside the prompt; never a key.
        reserved_tokens: upper bound of tokens in and out.
        reserved_usd: upper bound of its cost in US dollars, None without a price.
    """

    model: str
    operator: str
    request: Request
    attempt: int
    reserved_tokens: int
    reserved_usd: Decimal | None
    parameters: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallTurn:
    """A question as recorded: ask, round, model, operator, prompt, and the reply if one came."""

    iteration: int
    round: int
    model: str
    operator: str
    prompt: Prompt
    completion: Completion | None


class CallLog(Protocol):
    """Where calls are recorded; each method returns only when the record is safe. Thread-safe."""

    def requested(self, call: Call) -> int:
        """Records an attempt that is about to be sent; returns its number."""

    def replied(self, number: int, completion: Completion) -> None:
        """Records the reply, before anything is done with it."""

    def failed(self, number: int, error: ModelError) -> None:
        """Records that no usable reply came, with `error.completion` if a useless one did."""

    def reply(self, iteration: int, round: int, digest: str) -> Completion | None:
        """The usable reply that an earlier session recorded for this ask, round and prompt digest."""

    def turns(self, first: int, last: int) -> Sequence[CallTurn]:
        """Questions of the asks from `first` to `last`, in order; of an earlier session, or of this one."""

    def noted(self, sentence: str) -> None:
        """Records what a reader of the results must know of a model; once, however often it is said."""


# Completions as outside data: a provider may be anybody's plug-in, and money is counted by what it says.

MOST_TOKENS = 2**53
"""A larger count is no count; up to here every number type of a store or a report holds it exactly."""
LONGEST_WAIT = 86_400.0
"""Seconds; what a provider asks for beyond a day is a day, far beyond every patience."""


def count(value: object) -> int | None:
    """A count of tokens as a provider says it; None, not known, for what cannot be one."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def part(value: object, whole: int | None) -> int | None:
    """A count as a part of the `whole`, at most all of it; None where either is not known."""
    return None if whole is None or type(value) is not int else min(max(value, 0), whole)


def amount(value: object) -> float | None:
    """A finite number that is not negative, such as seconds or US dollars; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MOST_TOKENS else None


def plain_wait(value: object) -> float | None:
    """Seconds that a provider asks to wait, from 0 to `LONGEST_WAIT`; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(min(max(value, 0.0), LONGEST_WAIT))


def plain(reply: object, name: str, seconds: float) -> Completion:
    """A reply whose values can be counted, stored and shown.

    Args:
        reply: what a provider gave.
        name: the model's specification.
        seconds: wall time of the attempt, for a provider that does not say.

    Raises:
        ModelError: `GARBAGE` when it is no completion with a text.
    """
    if not isinstance(reply, Completion):
        sentence = f"{name}: the provider returned {type(reply).__name__}, expected a Completion; mend it"
        raise ModelError(ErrorKind.GARBAGE, sentence, unknown_outcome=True)
    text: object = reply.text
    if not isinstance(text, str):
        sentence = f"{name}: the provider's text: got {type(text).__name__}, expected str; mend it"
        raise ModelError(ErrorKind.GARBAGE, sentence, unknown_outcome=True)
    tokens_in = count(reply.tokens_in)
    tokens_out = count(reply.tokens_out)
    took = amount(reply.seconds)
    return replace(
        reply,
        text=_storable(text),
        model=_word(reply.model) or name,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=amount(reply.cost_usd),
        seconds=seconds if took is None else took,
        finish_reason=_word(reply.finish_reason),
        tokens_cached=part(reply.tokens_cached, tokens_in),
        tokens_reasoning=part(reply.tokens_reasoning, tokens_out),
    )


def _word(value: object) -> str | None:
    return _storable(value) if isinstance(value, str) else None


def _storable(text: str) -> str:
    """A text that UTF-8 can hold: halves of a character, which JSON can write, become question marks."""
    return text.encode(errors="replace").decode()
