"""Rounds of workers that serve requests to a language model; a rule chooses who starts.

A request of a prompt of s tokens and an output of o tokens holds s + k tokens in its k-th round, k = 1..o. In
a round the rule is asked while some waiting request fits on a worker, now and for its whole life beside those
that have started there; of the requests that fit the one with the smallest number starts.
"""

from typing import Any

import numpy as np

COLUMNS = ("waited", "prompts", "outputs", "peaks", "areas", "slack", "fits")
SLACK, FITS = 5, 6  # places in COLUMNS


class Servers:
    """The workers with what they hold, and the requests that wait."""

    def __init__(self, workers: int, memory: int) -> None:
        """Nothing has arrived."""
        self.workers, self.memory, self.round = workers, memory, 0
        self.held = np.zeros((workers, 256), dtype=np.int64)
        self.growth = np.arange(1, 257)
        self.last = 0  # the round after the last one in which something is held
        self.requests: list[tuple[int, int]] = []
        self.waiting: list[int] = []
        self.facts = np.zeros((5, 0))  # of those that wait: arrival, and the columns from prompts to areas
        self.ends = np.zeros(0, dtype=np.intp)  # of those that wait: rounds between the first and the last
        self.longest = self.least = 0  # output and prompt of those that wait

    def arrive(self, requests: list[tuple[int, int]]) -> None:
        """Requests (prompt, output) arrive in this round, numbered on."""
        if not requests:
            return
        first = len(self.requests)
        self.requests += requests
        self.waiting += range(first, len(self.requests))
        rows = [(self.round, s, o, s + o, s * o + o * (o + 1) / 2) for s, o in requests]
        self.know(np.concatenate([self.facts, np.array(rows, dtype=float).T], axis=1))
        self.widen(max(self.round + self.longest, self.last) + 2)

    def know(self, facts: Any) -> None:
        """Takes the facts of the requests that wait, of at least one."""
        self.facts, self.ends = facts, facts[2].astype(np.intp) - 1
        self.longest, self.least = int(facts[2].max()), int(facts[1].min())

    def widen(self, rounds: int) -> None:
        """Makes room for so many rounds."""
        short = rounds - self.held.shape[1]
        if short > 0:
            more = short + self.held.shape[1]
            self.held = np.concatenate([self.held, np.zeros((self.workers, more), dtype=np.int64)], axis=1)
            self.growth = np.arange(1, self.held.shape[1] + 1)

    def decide(self, rule: Any) -> list[tuple[int, int]]:
        """The requests that start in this round, each with its worker."""
        starts: list[tuple[int, int]] = []
        while self.waiting:
            self.widen(self.round + self.longest + 1)
            held = self.held[:, self.round].tolist()
            if min(held) + self.least >= self.memory:
                break  # not even the first token of the smallest fits
            free = self.memory - self.growth[: self.longest]
            room = np.minimum.accumulate(free - self.held[:, self.round : self.round + self.longest], axis=1)
            slack = room.take(self.ends, axis=1) - self.facts[1]
            best = slack.max(axis=0) if self.workers > 1 else slack[0]
            possible = best >= 0
            if not np.count_nonzero(possible):
                break
            choice = self.choose(rule, best, possible, sum(held), bool(starts))
            if choice < 0:
                break
            fits = zip(held, range(self.workers), slack[:, choice].tolist(), strict=True)
            worker = min([(tokens, number) for tokens, number, left in fits if left >= 0])[1]
            starts.append((self.start(choice, worker), worker))
        return starts

    def choose(self, rule: Any, slack: Any, possible: Any, held: int, begun: bool) -> int:
        """Place of the request that starts; -1 if the rule lets all wait while some request is served."""
        columns = np.empty((len(COLUMNS), len(slack)))
        np.subtract(self.round, self.facts[0], out=columns[0])
        columns[1:SLACK] = self.facts[1:]
        columns[SLACK], columns[FITS] = slack, possible
        seen: dict[str, Any] = dict(zip(COLUMNS, columns, strict=True))
        seen["round"], seen["held"] = float(self.round), float(held)
        seen["memory"], seen["workers"] = float(self.memory), float(self.workers)
        priority = np.asarray(rule(**seen), dtype=float)
        if priority.shape != possible.shape:
            raise ValueError(
                f"priority: got shape {priority.shape}, expected {possible.shape}: one number each"
            )
        priority = np.where(possible, priority, np.inf)
        choice = int(priority.argmin())
        if priority[choice] != priority[choice]:  # NaN counts as infinity
            priority = np.where(np.isnan(priority), np.inf, priority)
            choice = int(priority.argmin())
        if priority[choice] < np.inf:
            return choice
        return -1 if held or begun else int(possible.argmax())

    def start(self, place: int, worker: int) -> int:
        """Starts a waiting request on a worker; its number."""
        number = self.waiting.pop(place)
        prompt, output = self.requests[number]
        self.held[worker, self.round : self.round + output] += prompt + self.growth[:output]
        self.last = max(self.last, self.round + output)
        facts = self.facts
        if self.waiting:
            self.know(np.concatenate((facts[:, :place], facts[:, place + 1 :]), axis=1))
        else:
            self.facts = facts[:, :0]
        return number
