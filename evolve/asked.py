"""Which prompts were sent: none is sent twice, whatever the number of questions under way."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol, runtime_checkable

from .base import Prompt

AGAIN = "\n\nThis question was asked before, {times}. Give another idea than the first that comes to mind.\n"


class Asked:
    """Prompts by digest with the first iteration that sent each; thread-safe.

    Questions under way are worded one after the other, in the order of their iterations, so that a question
    knows all earlier ones and a repetition of the campaign words it alike.

    Args:
        sent: digest → iteration, as the record says.
    """

    def __init__(self, sent: Mapping[str, int]) -> None:
        self._sent = dict(sent)
        self._expected: set[int] = set()
        self._closed = False
        self._changed = threading.Condition()

    def expect(self, iteration: int) -> None:
        """Announces an iteration; later ones wait for its question."""
        with self._changed:
            self._expected.add(iteration)

    def leave(self, iteration: int) -> None:
        """Takes back an iteration that was announced: its question is sure to be another one."""
        with self._changed:
            self._expected.discard(iteration)
            self._changed.notify_all()

    @contextmanager
    def turn(self, iteration: int) -> Iterator[None]:
        """Waits for the questions of earlier iterations that were announced."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or not any(n < iteration for n in self._expected))
        try:
            yield
        finally:
            self.leave(iteration)

    def is_new(self, iteration: int, prompt: Prompt) -> bool:
        """Whether no earlier iteration sent a prompt."""
        with self._changed:
            return self._sent.get(prompt.digest, iteration) >= iteration

    def take(self, iteration: int, prompt: Prompt) -> Prompt:
        """The prompt as it is sent, by this iteration; one that was sent before says how often it was."""
        times, again = 0, prompt
        while not self.is_new(iteration, again):
            times += 1
            said = AGAIN.format(times="once" if times == 1 else f"{times} times")
            again = replace(prompt, user=prompt.user.rstrip("\n") + said)
        with self._changed:
            self._sent[again.digest] = iteration
        return again

    def close(self) -> None:
        """Lets everybody through: the campaign is ending."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


@runtime_checkable
class Expecting(Protocol):
    """A proposer that words its questions in the order of their iterations."""

    def expect(self, iteration: int) -> None:
        """Announces an iteration that it will be asked for."""
