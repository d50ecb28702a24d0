"""Figures in one style, and how they become files or parts of a page.

Nothing here touches pyplot or global settings: figures are made, saved and forgotten.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK, FAINT = "#101113", "#a0a1a3"
"""Text and axes, and grid lines; on a page both follow the page's own colours."""
BLUE, ORANGE, GREEN, GREY, RED = "#2f7ec0", "#d9731f", "#2a9468", "#8a8f98", "#cc4a4a"
"""Readable on white and on near-black, and told apart with red-green blindness by lightness and mark."""
MOST_POINTS = 2_000
"""Points of a cloud that are drawn (count); more are thinned."""
FORMATS = ("svg", "png", "pdf")

_STYLE: Any = {
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans", "sans-serif"],
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}


@contextmanager
def styled() -> Iterator[None]:
    """Everything drawn inside has the style of the house; global settings are as before afterwards."""
    import matplotlib

    with matplotlib.rc_context(_STYLE):
        yield


def new_axes(width: float = 7.0, height: float = 3.6) -> tuple[Figure, Axes]:
    """A figure of width × height inches with one set of axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def render(figure: Figure, form: str, salt: str) -> bytes:
    """A figure as a file of a format of `FORMATS`; the same figure gives the same bytes.

    Args:
        figure: to draw.
        form: `svg`, `png` or `pdf`.
        salt: keeps ids of several pictures of one page apart.
    """
    import matplotlib

    buffer = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": salt}):
        figure.savefig(buffer, format=form, dpi=200, metadata=metadata, transparent=form == "svg")
    return buffer.getvalue()


def page_part(figure: Figure, salt: str, description: str, links: dict[str, str] | None = None) -> str:
    """A figure as an SVG element of a page: its ink follows the page, it says what it shows.

    Args:
        figure: to draw.
        salt: unique on the page.
        description: what a screen reader says.
        links: address inside the page → name of the link that the picture holds.
    """
    text = render(figure, "svg", salt).decode()
    text = text[text.index("<svg ") :]
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)  # names of parts, the same in every picture
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
    text = text.replace(INK, "currentColor").replace(FAINT, "var(--line)")
    text = re.sub(r'(<svg [^>]*?)width="[\d.]+pt" height="[\d.]+pt" ?', r"\1", text, count=1)
    role = "group" if links else "img"
    text = text.replace("<svg ", f'<svg role="{role}" aria-label="{escape(description)}" ', 1)
    for address, name in (links or {}).items():
        old = f'<a xlink:href="{address}">'
        text = text.replace(old, f'<a href="{address}" aria-label="{escape(name)}">')
    return re.sub(r"\n\s*", "\n", text)


def thin(points: Sequence[Any], most: int = MOST_POINTS) -> list[Any]:
    """At most `most` of the points, evenly spaced in their order; the first and the last stay."""
    if len(points) <= most:
        return list(points)
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]


def logarithmic(axis: Axis, least: float) -> None:
    """A logarithmic axis that reaches 0, linear below `least`, with plain numbers at its ticks."""
    from matplotlib.ticker import FuncFormatter

    getattr(axis.axes, f"set_{axis.axis_name}scale")("symlog", linthresh=least)  # type: ignore[attr-defined]
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def note_thinning(axes: Axes, shown: int, total: int, what: str) -> None:
    """Says below the picture how many of the points are drawn."""
    if shown < total:
        axes.set_title(f"{shown:,} of {total:,} {what} shown", fontsize=8, loc="right", color=INK)
