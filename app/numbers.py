"""Numbers as people read them, each with its unit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..evaluators.intervals import FEWEST
from ..evaluators.numbers import FAR_FACTOR
from ..evolve.timing import edge, time_class

_LARGE = 1e6


def percent(value: float | None, digits: int = 2) -> str:
    """A percentage, from 100 on without decimals, from 10⁶ on with an exponent; `–` when there is none."""
    if value is not None and abs(value) >= _LARGE:
        return f"{value:.1e} %"
    return "–" if value is None else f"{value:z.{digits if abs(value) < 100 else 0}f} %"


def signed(value: float, form: str = ".2f") -> str:
    """A difference with its sign, `+0.12` or `-0.12`; what rounds to zero is `+0.00`, never `-0.00`.

    Args:
        value: the difference.
        form: digits as in a format string.
    """
    return format(value, f"+z{form}")


def figure(value: float | None) -> str:
    """A percentage without its sign, with as many digits as say something; `–` when there is none."""
    if value is not None and abs(value) >= _LARGE:
        return f"{value:.1e}"
    return "–" if value is None else f"{value:z.2f}" if abs(value) < 100 else f"{value:.0f}"


def gap_cell(figures: Mapping[str, Any] | None, form: Callable[[float | None], str] = figure) -> str:
    """Mean gap with its 95 % interval or counts, marked where it is too good to be believed; or a score."""
    if figures is None:
        return "–"
    if figures["failed"]:
        return f"failed on {figures['failed']}"
    if "reported_score" in figures:
        return reported_cell(figures)
    text = f"{form(figures['mean_gap_percent'])} {spread(figures)}".strip()
    return f"{text} {far_mark(figures)}".strip()


def reported_cell(figures: Mapping[str, Any]) -> str:
    """Mean reported score, and by how much it differs from the start program's: `0.9598 [+0.012]`."""
    score, change = figures["reported_score"], figures["change"]
    return "–" if score is None or change is None else f"{score:.5g} [{signed(change, '.3g')}]"


def far_mark(figures: Mapping[str, Any]) -> str:
    """`(2?)` if two objectives are far better than a reference without proof, else empty."""
    far = figures.get("far_beyond")
    return f"({far}?)" if far else ""


def far_note(some: Iterable[Mapping[str, Any] | None]) -> list[str]:
    """The sentence behind the mark, if any of some figures has it."""
    if not any(far_mark(figures) for figures in some if figures):
        return []
    return [
        f"(n?): on n instances {FAR_FACTOR} times better than the reference, which is not proven: look at "
        "the answers, the evaluator may accept what it should refuse"
    ]


def spread(figures: Mapping[str, Any]) -> str:
    """The 95 % interval of a mean gap; where two instances have a gap, too few for one, `(2 of 40)`."""
    if (bounds := figures["mean_gap_ci95_percent"]) is not None:
        return interval(bounds)
    if figures["mean_gap_percent"] is None or figures.get("solved") is None:
        return ""
    missed = figures["instances"] - figures["solved"]
    return f"({missed} of {figures['instances']})" if missed < FEWEST else ""


def few_note(some: Iterable[Mapping[str, Any] | None]) -> list[str]:
    """The sentence behind counts in place of an interval, if any of some figures has them."""
    if not any(figures and not figures["failed"] and spread(figures).startswith("(") for figures in some):
        return []
    return ["(n of m): a gap on n of m instances, too few for an interval"]


def interval(bounds: tuple[float, float] | list[float] | None) -> str:
    """A 95 % interval of percentages, empty when there is none; from 10 on one digit is enough."""
    return "" if bounds is None else "[" + ", ".join(_bound(value) for value in bounds) + "]"


def _bound(value: float) -> str:
    return f"{value:.1f}" if 10 <= abs(value) < 100 else figure(value)


def duration(seconds: float | None) -> str:
    """A time span: `12 s`, `3 min 20 s`, `2 h 05 min`; `–` when there is none."""
    if seconds is None:
        return "–"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def time_words(seconds: float) -> str:
    """A CPU time with two digits and its unit: `0.8 ms`, `16 ms`, `1.2 s`."""
    if seconds < 0.00995:
        return f"{seconds * 1000:.1f} ms".replace(".0 ms", " ms")
    return f"{seconds * 1000:.0f} ms" if seconds < 0.9995 else f"{seconds:.3g} s"


def class_words(seconds: float) -> str:
    """The time class of a net CPU time, by its upper edge: `≤ 16 ms`."""
    limit = edge(time_class(seconds))
    return "slower" if limit is None else f"≤ {time_words(limit)}"


def milliseconds(seconds: float | None) -> str:
    """A short time in milliseconds, `–` when there is none."""
    return "–" if seconds is None else f"{seconds * 1000:.1f}"
