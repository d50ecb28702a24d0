"""Kinds of answers: one class each, with its form check, words, random and hostile answers, and moves."""

from __future__ import annotations

from .assignment import EXCHANGES, Assignment
from .choice import Choice
from .expression import FormError
from .kind import AnswerKind, Names, Neighbourhood
from .lists import PART_OF_PARTITION, PART_OF_ROUTES, PARTITION, ROUTES
from .offsets import STEPS, Offsets
from .partition import Partition
from .permutation import ORDERS, Permutation
from .ratings import Ratings
from .routes import Routes
from .subset import CHOICES, Subset
from .values import AMOUNTS, WHOLE_AMOUNTS, Values

__all__ = [
    "KINDS",
    "NEIGHBOURHOODS",
    "AnswerKind",
    "Assignment",
    "Choice",
    "FormError",
    "Names",
    "Neighbourhood",
    "Offsets",
    "Partition",
    "Permutation",
    "Ratings",
    "Routes",
    "Subset",
    "Values",
]

KINDS = (Permutation, Subset, Assignment, Partition, Routes, Offsets, Values, Ratings, Choice)
"""The classes of kinds."""
NEIGHBOURHOODS = {
    "permutation": ORDERS,
    "assignment": EXCHANGES,
    "subset": CHOICES,
    "offsets": STEPS,
    "routes": ROUTES,
    "partition": PARTITION,
    "part of routes": PART_OF_ROUTES,
    "part of partition": PART_OF_PARTITION,
    "whole values": WHOLE_AMOUNTS,
    "values": AMOUNTS,
}
"""Name → random moves of the answers of a kind, as `Moves.kind` names them."""
