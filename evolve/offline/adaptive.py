"""Rates of operators, adapted to the improvements that each has brought so far.

Probability matching over improvements with a floor (Goldberg 1990; compared with other schemes by Thierens,
GECCO 2005, doi:10.1145/1068009.1068251). The statistics come in as an argument, so that the same history
gives the same rates on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .work import Operator

_PRIOR_TRIES = 12
_LEAST, _MOST = 0.4, 3.0


def rates(operators: Sequence[Operator], history: Mapping[str, tuple[int, int]]) -> list[Operator]:
    """The operators with adapted weights.

    Args:
        operators: with their base weights.
        history: operator → (tries, children better than their parent), counts; may be empty, and may name
            operators of other proposers.
    """
    known = [history[o.name] for o in operators if o.name in history]
    tries, gains = sum(t for t, _ in known), sum(g for _, g in known)
    mean = (gains + 1) / (tries + _PRIOR_TRIES)
    return [replace(o, weight=o.weight * _factor(history.get(o.name, (0, 0)), mean)) for o in operators]


def _factor(record: tuple[int, int], mean: float) -> float:
    """An operator's success relative to the average; 1 without a record."""
    tries, gains = record
    own = (gains + _PRIOR_TRIES * mean) / (tries + _PRIOR_TRIES)
    return min(_MOST, max(_LEAST, own / mean))
