"""An error of Gapsmith's own code while it makes one proposal costs that proposal, not the campaign."""

from __future__ import annotations

import traceback
from collections.abc import Callable

from ..prompts.builder import TemplateInvalid
from .base import Origin, Proposal, Rejection, RejectionReason

_OWN = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    NameError,
    RecursionError,
    SyntaxError,
    TypeError,
    ValueError,
)
_CHARACTERS = 300


def sheltered(make: Callable[[], Proposal | Rejection]) -> Proposal | Rejection:
    """The result of `make`, or a rejection if `make` raises an exception that only a fault in Gapsmith
    raises.

    Texts of candidates are hostile input to the code that reads them. What a person must act on (a model's
    trouble, a full disk, a template that is no template) is raised.
    """
    try:
        return make()
    except TemplateInvalid:
        raise
    except _OWN as error:
        return Rejection(RejectionReason.FAULT, describe(error), Origin.MUTATE, "none")


def describe(error: BaseException) -> str:
    """An error in one line: its kind, the function and line that raised it, its message."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    text = f"{type(error).__name__}{where}: {error}"[:_CHARACTERS]
    return text.encode("utf-8", "backslashreplace").decode()
