"""Rounds of workers that serve requests to a language model; a rule chooses who starts.

A request of a prompt of s tokens and an output of o tokens holds s + k tokens in its k-th round, k = 1..o. In
a round the rule is asked while some waiting request fits on a worker, now and for its whole life beside those
that have started there; of the requests that fit the one with the smallest number starts.
"""

from typing import Any

import numpy as np

COLUMNS = ("waited", "prompts", "outputs", "peaks", "areas", "slack", "fits")
NUMBERS = ("round", "held", "memory", "workers")


class Servers:
    """The workers with what they hold, and the requests that wait."""

    def __init__(self, workers: int, memory: int) -> None:
        """Nothing has arrived."""
        self.workers, self.memory, self.round = workers, memory, 0
        self.held = np.zeros((workers, 256), dtype=np.int64)
        self.growth = np.arange(1, 257)
        self.last = 0  # the round after the last one in which something is held
        self.waiting: list[int] = []
        self.facts = np.zeros((4, 0))
        self.requests: list[tuple[int, int, int]] = []

    def arrive(self, requests: list[tuple[int, int]]) -> None:
        """Requests (prompt, output) arrive in this round, numbered on."""
        if not requests:
            return
        first = len(self.requests)
        self.requests += [(self.round, prompt, output) for prompt, output in requests]
        self.waiting += range(first, len(self.requests))
        rows = [(self.round, s, o, s * o + o * (o + 1) / 2) for s, o in requests]
        self.facts = np.concatenate([self.facts, np.array(rows, dtype=float).T], axis=1)
        longest = self.round + max([o for _, o in requests]) + 1
        self.widen(max(longest, self.last) + 1)

    def widen(self, rounds: int) -> None:
        """Makes room for so many rounds from the present one on."""
        short = rounds + 1 - self.held.shape[1]
        if short > 0:
            more = short + self.held.shape[1]
            self.held = np.concatenate([self.held, np.zeros((self.workers, more), dtype=np.int64)], axis=1)
            self.growth = np.arange(1, self.held.shape[1] + 1)

    def decide(self, rule: Any) -> list[tuple[int, int]]:
        """The requests that start in this round, each with its worker."""
        starts: list[tuple[int, int]] = []
        while self.waiting:
            outputs = self.facts[2].astype(np.int64)
            longest = int(outputs.max())
            self.widen(self.round + longest)
            held = self.held[:, self.round : self.round + longest]
            room = np.minimum.accumulate(self.memory - held - self.growth[:longest], axis=1)
            slack = room[:, outputs - 1] - self.facts[1]
            fits = slack >= 0
            possible = fits.any(axis=0)
            if not possible.any():
                break
            choice = self.choose(rule, slack.max(axis=0), possible, held[:, 0], bool(starts))
            if choice < 0:
                break
            workers = np.flatnonzero(fits[:, choice])
            worker = int(workers[held[workers, 0].argmin()])
            starts.append((self.start(choice, worker), worker))
        return starts

    def choose(self, rule: Any, slack: Any, possible: Any, held: Any, begun: bool) -> int:
        """Place of the request that starts; -1 if the rule lets all wait while some request is served."""
        total = int(held.sum())
        arrived, prompts, outputs, areas = self.facts
        columns = (self.round - arrived, prompts, outputs, prompts + outputs, areas, slack, possible)
        seen: dict[str, Any] = dict(zip(COLUMNS, np.array(columns, dtype=float), strict=True))
        numbers = (self.round, total, self.memory, self.workers)
        seen.update(zip(NUMBERS, map(float, numbers), strict=True))
        priority = np.asarray(rule(**seen), dtype=float)
        if priority.shape != possible.shape:
            raise ValueError(
                f"priority: got shape {priority.shape}, expected {possible.shape}: one number each"
            )
        smallest = np.where(possible & ~np.isnan(priority), priority, np.inf)
        choice = int(smallest.argmin())
        if smallest[choice] < np.inf:
            return choice
        return -1 if total or begun else int(possible.argmax())

    def start(self, place: int, worker: int) -> int:
        """Starts a waiting request on a worker; its number."""
        number = self.waiting.pop(place)
        _, prompt, output = self.requests[number]
        self.held[worker, self.round : self.round + output] += prompt + self.growth[:output]
        self.last = max(self.last, self.round + output)
        self.facts = np.delete(self.facts, place, axis=1)
        return number
