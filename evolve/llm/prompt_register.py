"""Which prompts were sent: none is sent twice, whatever the number of questions under way."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from typing import Protocol, runtime_checkable

from ...prompts.marks import without_dots
from ..types import Prompt

AGAIN = "\n\nThis question was asked before, {times}. Give another idea than the first that comes to mind.\n"

_MEASURED = re.compile(r"(\d[\d.]*+)(?P<seconds>(e-?\d++)? s\b)?")  # looks at each digit at most twice


def without_seconds(text: str) -> str:
    """A text without the seconds in it: CPU times differ whenever a program is run again."""
    return _MEASURED.sub(lambda number: "… s" if number["seconds"] else number[0], text)


@lru_cache(maxsize=64)
def timeless(prompt: Prompt) -> str:
    """Hex SHA-256 of a prompt without its seconds and the dots in its marks; kept, as it is asked for often.

    Which marks get dots changed between versions, and a replay is to find the prompts of all of them.
    """
    texts = [without_seconds(without_dots(text)) for text in (prompt.system, prompt.user)]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


class PromptRegister:
    """Questions with the first iteration that sent each; thread-safe.

    Two prompts are one question if they differ in measured seconds alone: a replay measures others.

    Questions under way are worded one after the other, in the order of their iterations, so that a question
    knows all earlier ones and a repetition of the campaign words it alike.

    Args:
        sent: iterations and their prompts, as the record says, the first ones first.
    """

    def __init__(self, sent: Iterable[tuple[int, Prompt]]) -> None:
        self._sent: dict[str, int] = {}
        for iteration, prompt in sent:
            self._sent.setdefault(timeless(prompt), iteration)
        self._expected: set[int] = set()
        self._waiting: dict[int, threading.Event] = {}
        self._closed = False
        self._lock = threading.Lock()

    def expect(self, iteration: int) -> None:
        """Announces an iteration; later ones wait for its question."""
        with self._lock:
            self._expected.add(iteration)

    def leave(self, iteration: int) -> None:
        """Takes back an iteration that was announced: its question is sure to be another one."""
        with self._lock:
            self._expected.discard(iteration)
            self._wake()

    @contextmanager
    def turn(self, iteration: int) -> Iterator[None]:
        """Waits for the questions of earlier iterations that were announced."""
        with self._lock:
            mine = self._waiting[iteration] = threading.Event()
            self._wake()
        mine.wait()
        try:
            yield
        finally:
            self.leave(iteration)

    def _wake(self) -> None:
        """Lets those through that wait for no other; the rest of dozens sleeps on."""
        first = min(self._expected, default=None)
        for number in list(self._waiting):
            if self._closed or first is None or number <= first:
                self._waiting.pop(number).set()

    def is_new(self, iteration: int, prompt: Prompt) -> bool:
        """Whether no earlier iteration sent a prompt."""
        with self._lock:
            return self._sent.get(timeless(prompt), iteration) >= iteration

    def take(self, iteration: int, prompt: Prompt) -> Prompt:
        """The prompt as it is sent, by this iteration; one that was sent before says how often it was."""
        times = 0
        again = prompt
        while not self.is_new(iteration, again):
            times += 1
            said = AGAIN.format(times="once" if times == 1 else f"{times} times")
            again = replace(prompt, user=prompt.user.rstrip("\n") + said)
        with self._lock:
            self._sent[timeless(again)] = iteration
        return again

    def close(self) -> None:
        """Lets everybody through: the campaign is ending."""
        with self._lock:
            self._closed = True
            self._wake()


@runtime_checkable
class Expectation(Protocol):
    """A proposer that words its questions in the order of their iterations."""

    def expect(self, iteration: int) -> None:
        """Announces an iteration that it will be asked for."""
