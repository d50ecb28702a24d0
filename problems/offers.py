"""What a problem may hand over to the offline proposer: expressions, whole phases, its cost and its moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Primitive:
    """One expression that the offline proposer may write.

    Attributes:
        text: Python expression over names that are in scope in the entry point's body (`due_dates[j]`).
        kind: type of the value: `number`, `vector`, `boolean` or a name that the problem defines.
        meaning: a few words with the unit.
        term: the field's name for the expression, as an identifier for simplified programs; empty if the
            field has no name for it.
    """

    text: str
    kind: str
    meaning: str
    term: str = ""


@runtime_checkable
class HasPrimitives(Protocol):
    """A problem that gives the offline proposer the expressions that matter, as data."""

    def primitives(self) -> Sequence[Primitive]:
        """Expressions of the field, in no particular order."""


@dataclass(frozen=True, slots=True)
class CostShape:
    """One form that the cost of an item may have in a phase.

    Attributes:
        share: probability of this form; those of one phase add up to 1.
        text: expression with the places `{other}` and `{factor}` (vectors of the program) and `{number}` (a
            constant); an empty text asks for a random expression.
    """

    share: float
    text: str


@dataclass(frozen=True, slots=True)
class Phase:
    """A function that improves what the entry point returns, as a text whose places the proposer fills in.

    The places of `text`: `{name}` (of the function), `{arguments}` (the vectors of the entry point),
    `{weight}` (a vector that accumulates to ends), `{cost}` (of item j that ends at `end`; of many, `jobs`
    and `ends`) and the keys of `choices`; `{arrays}` makes arrays of vectors, `{start}` adds a number.

    Attributes:
        operator: name in the statistics, lower case with hyphens.
        helper: name of the function in a program.
        text: source of one function; its first parameter is what the entry point returns.
        form: what the entry point returns, and how it is handed on: `order` (a list of indices), `orders`
            (two of them), `order as array` (a list of indices for a text that uses numpy), `rating` (an array
            with a number for each item).
        rate: how often the phase is drawn, relative to the other operators.
        costs: forms of the cost.
        choices: place → values to draw from.
    """

    operator: str
    helper: str
    text: str
    form: str
    rate: float
    costs: tuple[CostShape, ...]
    choices: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


@runtime_checkable
class HasPhases(Protocol):
    """A problem that gives the offline proposer whole phases over the order of its items, as data."""

    def phases(self) -> Sequence[Phase]:
        """Phases of the field, in no particular order."""
