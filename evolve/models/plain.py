"""Completions as outside data: a provider may be anybody's plug-in, and money is counted by what it says."""

from __future__ import annotations

import math
from dataclasses import replace

from ..base import Completion
from .base import ErrorKind, ModelError

MOST_TOKENS = 2**53
"""A larger count is no count; up to here every number type of a store or a report holds it exactly."""
LONGEST_WAIT = 86_400.0
"""Seconds; what a provider asks for beyond a day is a day, far beyond every patience."""


def count(value: object) -> int | None:
    """A count of tokens as a provider says it; None, not known, for what cannot be one."""
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


def part(value: object, whole: int | None) -> int | None:
    """A count as a part of the `whole`, at most all of it; None where either is not known."""
    return None if whole is None or type(value) is not int else min(max(value, 0), whole)


def amount(value: object) -> float | None:
    """A finite number that is not negative, such as seconds or US dollars; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MOST_TOKENS else None


def plain_wait(value: object) -> float | None:
    """Seconds that a provider asks to wait, from 0 to `LONGEST_WAIT`; None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(min(max(value, 0.0), LONGEST_WAIT))


def plain(reply: object, name: str, seconds: float) -> Completion:
    """A reply whose values can be counted, stored and shown.

    Args:
        reply: what a provider gave.
        name: the model's specification.
        seconds: wall time of the attempt, for a provider that does not say.

    Raises:
        ModelError: `GARBAGE` when it is no completion with a text.
    """
    if not isinstance(reply, Completion):
        sentence = f"{name}: the provider returned {type(reply).__name__}, expected a Completion; mend it"
        raise ModelError(ErrorKind.GARBAGE, sentence, unknown_outcome=True)
    text: object = reply.text
    if not isinstance(text, str):
        sentence = f"{name}: the provider's text: got {type(text).__name__}, expected str; mend it"
        raise ModelError(ErrorKind.GARBAGE, sentence, unknown_outcome=True)
    tokens_in, tokens_out = count(reply.tokens_in), count(reply.tokens_out)
    took = amount(reply.seconds)
    return replace(
        reply,
        text=_storable(text),
        model=_word(reply.model) or name,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=amount(reply.cost_usd),
        seconds=seconds if took is None else took,
        finish_reason=_word(reply.finish_reason),
        tokens_cached=part(reply.tokens_cached, tokens_in),
        tokens_reasoning=part(reply.tokens_reasoning, tokens_out),
    )


def _word(value: object) -> str | None:
    return _storable(value) if isinstance(value, str) else None


def _storable(text: str) -> str:
    """A text that UTF-8 can hold: halves of a character, which JSON can write, become question marks."""
    return text.encode(errors="replace").decode()
