"""Short texts about many numbers, for the explanations of answers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

_SHARES = (0, 10, 25, 50, 75, 90, 100)


def quantiles(values: Sequence[float | Fraction]) -> str:
    """Least, 10, 25, 50, 75, 90 % and largest of the values (at least one): `3, 5, 8, 12, 20, 31, 42`."""
    ordered = sorted(values)
    last = len(ordered) - 1
    shown = ", ".join(plain(ordered[round(share * last / 100)]) for share in _SHARES)
    return f"0/10/25/50/75/90/100 %: {shown}"


def by_parts(values: Sequence[float], parts: int = 5) -> str:
    """Share in percent of the sum that each of `parts` equal parts of a sequence holds, in order."""
    total = sum(values)
    if not total or len(values) < parts:
        return ", ".join(map(plain, values))
    edges = [len(values) * part // parts for part in range(parts + 1)]
    sums = [sum(values[edges[part] : edges[part + 1]]) for part in range(parts)]
    return ", ".join(f"{100 * value / total:.0f} %" for value in sums)


def plain(value: float | Fraction) -> str:
    """An integer as it is, any other number with three significant digits or, if it is large, rounded."""
    whole = round(value)
    return str(whole) if value == whole or abs(whole) >= 100 else f"{float(value):.3g}"


def percent(part: float | Fraction, whole: float | Fraction) -> str:
    """A share in percent with one decimal; of nothing, 0."""
    return f"{100 * float(part) / float(whole):.1f} %" if whole else "0.0 %"
