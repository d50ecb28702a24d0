"""Parent side of an online execution: reveals the requests of each round and keeps what starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import Json
from .verification import horizon


class Rounds:
    """Steps through the arrivals of an instance; believes nothing that the child says of its state.

    A line `ROUND PROMPT OUTPUT` reveals one request, and the child says `-`. A line `ROUND` ends the arrivals
    of a round; the child says what starts, as pairs of a request and a worker, or `-`.
    """

    def __init__(self, whole: Mapping[str, Any]) -> None:
        """Takes the whole instance, whose arrivals are sorted."""
        self._whole = whole
        self._count = len(whole["arrivals"])
        self._latest = horizon(whole)
        self._round = -1
        self._asked = True
        self._revealed = 0
        self._places: dict[int, list[int]] = {}

    def next(self, line: bytes) -> bytes | None:
        """Takes the child's word on the last line, and gives the next line; None when all have started.

        A round without waiting requests is followed by the round of the next arrival.

        Raises:
            ValueError: the line is no list of waiting requests and workers, or no request ever starts.
        """
        if self._round >= 0:
            self._record(line)
        if len(self._places) == self._count:
            return None
        if self._asked:
            self._go_on()
        self._asked = self._revealed == self._count or self._whole["arrivals"][self._revealed] > self._round
        if self._asked:
            return b"%d" % self._round
        prompt, output = (self._whole[part][self._revealed] for part in ("prompts", "outputs"))
        self._revealed += 1
        return b"%d %d %d" % (self._round, prompt, output)

    def answer(self) -> Json:
        """`[worker, start]` of each request; of one that has not started, an empty list."""
        return [list(self._places.get(number, [])) for number in range(self._count)]

    def _go_on(self) -> None:
        """Goes on to the next round in which a decision is possible."""
        self._round += 1
        if len(self._places) == self._revealed:
            self._round = max(self._round, self._whole["arrivals"][self._revealed])
        if self._round > self._latest:
            left = self._count - len(self._places)
            raise ValueError(f"round {self._round}: {left} requests wait, expected all to have started")

    def _record(self, line: bytes) -> None:
        words = [] if line == b"-" else line.split()
        if (
            (words and not self._asked)
            or len(words) % 2
            or not all(word.isdigit() and len(word) < 10 for word in words)
        ):
            got = line[:80].decode("ascii", "replace")
            raise ValueError(
                f"round {self._round}: got {got!r}, expected - or pairs of a request and a worker"
            )
        numbers = list(map(int, words))
        for number, worker in zip(numbers[::2], numbers[1::2], strict=True):
            if number >= self._revealed or number in self._places:
                raise ValueError(f"round {self._round}: got request {number}, expected one that waits")
            if worker >= self._whole["workers"]:
                last = self._whole["workers"] - 1
                raise ValueError(f"round {self._round}: got worker {worker}, expected 0 to {last}")
            self._places[number] = [worker, self._round]
