"""Numbers as people read them, each with its unit."""

from __future__ import annotations

_LARGE = 1e6


def percent(value: float | None, digits: int = 2) -> str:
    """A percentage, from 100 on without decimals, from 10⁶ on with an exponent; `–` when there is none."""
    if value is not None and abs(value) >= _LARGE:
        return f"{value:.1e} %"
    return "–" if value is None else f"{value:.{digits if abs(value) < 100 else 0}f} %"


def figure(value: float | None) -> str:
    """A percentage without its sign, with as many digits as say something; `–` when there is none."""
    if value is not None and abs(value) >= _LARGE:
        return f"{value:.1e}"
    return "–" if value is None else f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"


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


def milliseconds(seconds: float | None) -> str:
    """A short time in milliseconds, `–` when there is none."""
    return "–" if seconds is None else f"{seconds * 1000:.1f}"
