"""Runs inside the sandbox after the driver of a rule: records, follows and repeats decisions.

A rule's reply is an array, and the smallest of its numbers decides; a driver whose rule rates one thing at a
time defines `Notes` and `Again` itself (`decision`, too).
"""

from typing import Any

import numpy as np

build = drive  # type: ignore[name-defined]  # noqa: F821


def decision(reply: Any) -> int:
    """Place of the smallest number, NaN counting as infinity; -1 where all are infinite."""
    numbers = np.asarray(reply, dtype=float)
    if not numbers.size:
        return -1
    place = int(numbers.argmin())
    if numbers.item(place) != numbers.item(place):  # NaN
        numbers = np.where(np.isnan(numbers), np.inf, numbers)
        place = int(numbers.argmin())
    return place if numbers.item(place) < np.inf else -1


class Notes:
    """The rule, with its decisions as they are made."""

    calls = None

    def __init__(self, entry: Any) -> None:
        """Nothing is decided yet."""
        self.entry = entry
        self.decisions: list[Any] = []

    def __call__(self, **arguments: Any) -> Any:
        """The rule's reply."""
        # Arrays side by side in memory, as they are when a decision is asked for again: the last digit of a
        # sum may depend on it.
        for name, value in arguments.items():
            if type(value) is np.ndarray:
                arguments[name] = np.ascontiguousarray(value)
        reply = np.asarray(self.entry(**arguments), dtype=float)
        self.decisions.append(decision(reply))
        return reply


class Again:
    """Recorded decisions in the place of a rule; keeps the arguments of the wanted ones."""

    def __init__(self, decisions: list[Any], calls: Any, wanted: list[int]) -> None:
        """Takes decisions, and places in their list."""
        self.decisions, self.made = decisions, 0
        self.arguments: dict[int, Any] = dict.fromkeys(wanted)

    def __call__(self, **arguments: Any) -> Any:
        """A reply that leads to the recorded decision."""
        if self.made in self.arguments:
            self.arguments[self.made] = arguments
        return self.reply(max([np.size(value) for value in arguments.values()]))

    def reply(self, count: int) -> Any:
        """A reply of `count` numbers that leads to the recorded decision."""
        reply = np.full(count, np.inf)
        if self.decisions[self.made] >= 0:
            reply[self.decisions[self.made]] = 0.0
        self.made += 1
        return reply


def record(entry: Any, instance: dict[str, Any]) -> dict[str, Any]:
    """The answer that a rule makes, and its decisions in their order."""
    notes = Notes(entry)
    answer = build(notes, instance)
    return {"answer": answer, "decisions": notes.decisions, "calls": notes.calls}


def follow(cases: list[Any]) -> list[Any]:
    """For each instance with its decisions: their answer, and the arguments of the wanted ones."""
    followed = []
    for instance, decisions, calls, wanted in cases:
        again = Again(decisions, calls, wanted)
        answer = build(again, instance)
        followed.append([answer, [again.arguments[place] for place in wanted]])
    return followed


def unpack(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of one call as the rule gets them: lists of numbers as arrays."""
    return {n: np.array(v, dtype=float) if type(v) is list else v for n, v in arguments.items()}


def decide(entry: Any, instance: dict[str, Any]) -> list[Any]:
    """The decisions of a rule for these arguments, each by itself."""
    with np.errstate(all="ignore"):
        return [decision(entry(**unpack(one))) for one in instance["arguments"]]


def idle(entry: Any, instance: dict[str, Any]) -> int:
    """Makes the same arguments without a call of the rule, to tell the price of both apart; counts them."""
    return len([unpack(one) for one in instance["arguments"]])
