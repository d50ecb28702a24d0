"""Which model is asked for what, by weight, and which one is set aside."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from .base import Price

OPERATORS: Mapping[str, float] = {
    "improve": 4,
    "explore": 2,
    "combine": 1.5,
    "simplify": 0.5,
    "repair": 4,
}
"""Operators of a first question and their shares; *combine* and *repair* only where they are possible."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A model (by its place in the ensemble) asked for an operator; `name` is what is counted."""

    model: int
    operator: str
    name: str
    weight: float
    price: Price | None


@dataclass(frozen=True, slots=True)
class Member:
    """A model of the ensemble: its specification, its share (> 0) and its price."""

    spec: str
    weight: float
    price: Price | None


def arms(members: Sequence[Member]) -> list[Arm]:
    """All arms; with one model an arm is named by its operator alone.

    Members of one specification (at two servers, or with two temperatures) are counted apart: the second
    one's arms end in `#2`.
    """
    specs = [member.spec for member in members]
    return [
        Arm(
            index,
            operator,
            operator if len(members) == 1 else f"{operator} {_label(specs, index)}",
            member.weight * share,
            member.price,
        )
        for index, member in enumerate(members)
        for operator, share in OPERATORS.items()
    ]


def _label(specs: Sequence[str], index: int) -> str:
    """A member's specification, numbered from its second occurrence on."""
    before = specs[:index].count(specs[index])
    return specs[index] if not before else f"{specs[index]} #{before + 1}"


def choose(arms: Sequence[Arm], rng: random.Random) -> Arm:
    """The arm for an ask, drawn by weight.

    Args:
        arms: those that are possible now, at least one.
        rng: the ask's own stream.
    """
    return rng.choices(arms, [arm.weight for arm in arms])[0]


def in_turn(arm: Arm, arms: Sequence[Arm]) -> Iterator[tuple[Arm, bool]]:
    """Arms to ask while a call does not fit under a cap, each with whether its reply has its whole limit.

    First the chosen arm, then the others of its operator, the cheapest output first; then with a smaller
    limit all of them, the cheapest first.
    """
    others = sorted((o for o in arms if o.operator == arm.operator and o.model != arm.model), key=_dearness)
    yield from ((one, True) for one in (arm, *others))
    yield from ((one, False) for one in sorted((arm, *others), key=_dearness))


def _dearness(arm: Arm) -> tuple[bool, Decimal, int]:
    price = arm.price
    return price is None, Decimal(0) if price is None else price.output, arm.model


# Sets a model aside, so that it is not asked again, after too many unusable replies in succession.


class ModelHealth:
    """Counts unusable replies in succession; thread-safe.

    Args:
        limits: limit of each model by its place in the ensemble (count; None or 0 for no limit).
    """

    def __init__(self, limits: Sequence[int | None]) -> None:
        self._limits = list(limits)
        self._counts = [0] * len(limits)
        self._last = [""] * len(limits)
        self._lock = threading.Lock()

    def note(self, model: int, why: str | None) -> str | None:
        """Takes the fault of a reply (None for none); returns a sentence if the fault sets the model
        aside.
        """
        with self._lock:
            if why is None:
                self._counts[model] = 0
                return None
            self._counts[model] += 1
            self._last[model] = why
            if self._counts[model] != self._limits[model]:
                return None
        return self.sentence(model)

    def disabled(self, model: int) -> bool:
        """Whether a model is set aside."""
        limit = self._limits[model]
        with self._lock:
            return bool(limit) and self._counts[model] >= (limit or 0)

    def sentence(self, model: int) -> str:
        """Why a model is set aside."""
        count = self._counts[model]
        last = self._last[model]
        return f"set aside after {count} unusable replies in succession; the last: {last}"
