"""What a problem may hand over to the offline proposer: expressions, whole phases, its cost and its moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from .answers import NEIGHBOURHOODS, AnswerKind, Neighbourhood


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


KINDS = tuple(NEIGHBOURHOODS)
"""Kinds of answers that have moves of their own."""


@dataclass(frozen=True, slots=True)
class Moves:
    """What local search must know of a problem, as source text that stands in programs as it is.

    The text defines `objective(answer, …)`, which takes the entry point's arguments by position and returns
    the objective of an answer; infinity (with the sign of what is worse) where the answer breaks a
    constraint. A text holds the objective and neighbourhoods, no heuristic: the search finds out which moves
    to make, and how many.

    The text may also define a class `Neighbours(answer, …)` that rates moves by increments, with `size`
    (items), `draw(random)` → (change, move), `make(move)` and `answer()`. A change below 0 is better, the
    move is None where a draw is not allowed, `random()` is a number from 0 up to 1, `answer()` is a copy.
    A class that prepares something of the instance may have `restart(answer)`, which keeps that and goes on
    from another answer: phases with many turns then make one object.
    Without the class, the moves of the kind of answer ask `objective` each time.

    Attributes:
        source: Python text of function and class.
        kind: one of `KINDS`: a permutation (list of indices), an assignment (list with a value for each
            item), a subset (list of different values), offsets (list of whole numbers ≥ 0), routes (list of
            lists of items, their number fixed), a partition (the same with any number of lists, none empty),
            part of routes or of partition (items may be left out), (whole) values (list of amounts); empty if
            the text has the class.
        values: expression over the arguments, the values of an assignment or a subset (`range(gpus)`), the
            items of parts of routes or partitions, the bounds of each amount (`[(0, m) for m in most]`).
        guide: parameters of a function that the class takes as its last argument and adds up over the parts
            of an answer (bins, groups); empty if it takes none.
        term: what the objective adds up, or takes the largest of, as an expression over `guide`.
        total: `sum` or `largest`, what the objective does with the terms.
    """

    source: str
    kind: str = ""
    values: str = ""
    guide: tuple[str, ...] = ()
    term: str = ""
    total: str = "sum"

    @property
    def neighbourhood(self) -> Neighbourhood:
        """The random moves of the kind of answer."""
        return NEIGHBOURHOODS[self.kind]

    @property
    def by_increment(self) -> bool:
        """Whether the text has a class of its own for the moves."""
        return "class Neighbours" in self.source

    @property
    def restarts(self) -> bool:
        """Whether an object of that class can go on from another answer."""
        return "def restart(" in self.source


@runtime_checkable
class HasMoves(Protocol):
    """A problem that gives the offline proposer its objective and moves between its answers."""

    def moves(self) -> Moves | None:
        """The objective and the neighbourhoods; None for a form whose candidates return no whole answer."""


@runtime_checkable
class HasAnswerKind(Protocol):
    """A problem whose answers, or whose decisions where it is interactive, are of a kind."""

    @property
    def answer_kind(self) -> AnswerKind | None:
        """The kind; None where verification alone says what an answer is."""


@runtime_checkable
class AmountKind(Protocol):
    """A kind of answers with an amount for each item: a list of numbers within bounds.

    Attributes:
        low, high: numbers, or expressions over the entry point's arguments and `i`, the number of the item.
        integer: whether amounts are whole.
    """

    low: float | str
    high: float | str
    integer: bool
