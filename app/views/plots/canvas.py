"""Makes figures in one style and renders them as files or as parts of a page.

This module never uses pyplot or global settings, so no figure outlives its use.
"""

from __future__ import annotations

import io
import math
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK = "#101113"
FAINT = "#a0a1a3"
"""Colours of text and axes, and of grid lines; on a page, the page's own colours replace both."""
BLUE = "#2f7ec0"
ORANGE = "#d9731f"
GREEN = "#2a9468"
GREY = "#8a8f98"
RED = "#cc4a4a"
"""Readable on white and on near-black; lightness and marks tell them apart for red-green blindness."""
MOST_POINTS = 2_000
"""Largest number of points drawn in a cloud; a larger cloud is thinned."""
_FEW_DECADES = 60.0
"""Below this ratio of the largest to the smallest loss, powers of ten alone would be too few ticks."""
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
    "text.parse_math": False,  # a name or unit of a plug-in is no formula
}


LOSS = "training loss (%, logarithmic)"


COLOURS = (BLUE, ORANGE, GREEN, RED, GREY)


@contextmanager
def styled() -> Iterator[None]:
    """Applies Gapsmith's style to everything drawn in the block, then restores the global settings."""
    from ....sandbox.interpreter import START_FOLDER

    if "matplotlib" not in sys.modules:
        # It reads settings of the working folder, and up to 3.10 runs what stands in some of them; its list
        # of fonts starts `fc-list`, which an empty place in PATH would take from the working folder.
        with chdir(START_FOLDER):
            import matplotlib
            import matplotlib.font_manager
    else:
        import matplotlib

    with matplotlib.rc_context(_STYLE):
        yield


NAME = 60
"""Longest name of a record in a picture (characters), cleaned: it may hold any text."""
WIDTH = 5.6
"""Width of a figure in inches: a column of a paper. On a phone, text in a wider picture is unreadable."""


def new_axes(width: float = WIDTH, height: float = 3.3) -> tuple[Figure, Axes]:
    """A figure of width × height inches with one set of axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.add_subplot()


def render(figure: Figure, form: str, salt: str) -> bytes:
    """A figure as the bytes of a file; the same figure gives the same bytes.

    Args:
        figure: figure to render.
        form: `svg`, `png` or `pdf`.
        salt: a text that keeps the ids of several pictures on one page distinct.
    """
    import matplotlib

    buffer = io.BytesIO()
    metadata: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form, {})
    with matplotlib.rc_context({**_STYLE, "svg.hashsalt": salt}):
        figure.savefig(buffer, format=form, dpi=200, metadata=metadata, transparent=form == "svg")
    return buffer.getvalue()


def page_part(figure: Figure, salt: str, description: str, links: dict[str, str] | None = None) -> str:
    """A figure as an SVG element of a page, in the page's colours and with a description.

    Args:
        figure: figure to render.
        salt: a text that is unique on the page.
        description: description for screen readers.
        links: address inside the page → name, for the links in the picture.
    """
    text = render(figure, "svg", salt).decode()
    text = text[text.index("<svg ") :]
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)  # names of parts, the same in every picture
    text = re.sub(r"<metadata>(?:(?!<metadata>).)*?</metadata>\s*+", "", text, flags=re.S)
    text = text.replace(INK, "currentColor").replace(FAINT, "var(--line)")
    # As wide as the page allows, up to the size at which its text reads well: 1.46 pixels a point.
    room = f'style="max-width: {figure.get_figwidth() * 6.6:.1f}rem" '
    text = re.sub(r'(<svg [^<>]*?)width="[\d.]+pt" height="[\d.]+pt" ?', rf"\1{room}", text, count=1)
    role = "group" if links else "img"
    text = text.replace("<svg ", f'<svg role="{role}" aria-label="{escape(description)}" ', 1)
    for address, name in (links or {}).items():
        old = f'<a xlink:href="{address}">'
        text = text.replace(old, f'<a href="{address}" aria-label="{escape(name)}">')
    text = re.sub(r"(\d\.\d{2})\d+", r"\1", text)  # hundredths of a point are finer than a screen
    return re.sub(r"\n\s*", "\n", _shared_styles(text))


def _shared_styles(text: str) -> str:
    """An SVG text whose groups of equal marks carry their style once instead of at each mark."""

    def group(match: re.Match[str]) -> str:
        styles = set(re.findall(r'<use [^<>]*?style="([^"]*)"', match[0]))
        if len(styles) != 1:
            return match[0]
        bare = re.sub(r'(<use [^<>]*?) style="[^"]*"', r"\1", match[0])
        return bare.replace("<g", f'<g style="{styles.pop()}"', 1)

    return re.sub(r"<g(?: clip-path=\"[^\"]*\")?>\n(?:\s*<use [^<>]*/>\n){9,}\s*</g>", group, text)


def thin(points: Sequence[Any], most: int = MOST_POINTS) -> list[Any]:
    """At most `most` of the points, evenly spaced in their order, with the first and the last."""
    if len(points) <= most:
        return list(points)
    return [points[round(i * (len(points) - 1) / (most - 1))] for i in range(most)]


def fit_losses(axis: Axis, losses: Sequence[float]) -> None:
    """Makes an axis of losses (percent) logarithmic and fits it to the data, with room for marks.

    An axis with negative losses (gaps to the best baseline, reported scores) is linear. One with zeros,
    or with losses over more than three decades, is linear below the smallest loss shown.
    """
    if min(losses, default=0.0) < 0:  # no zero that matters
        low = min(losses)
        high = max(losses)
        room = 0.1 * (high - low or 1.0)
        getattr(axis.axes, f"set_{axis.axis_name}lim")(low - room, high + room)  # type: ignore[attr-defined]
        return
    largest = max(losses, default=1.0) or 1.0
    positive = [loss for loss in losses if loss > 0]
    least = max(min(positive, default=largest), largest / 1000, 0.001)
    logarithmic(axis, least)
    whole = len(positive) == len(losses) and min(positive, default=0.0) >= least
    low = least / 1.3 if whole else -0.15 * least
    high = 1.4 * largest
    getattr(axis.axes, f"set_{axis.axis_name}lim")(low, high)  # type: ignore[attr-defined]
    _ticks(axis, low if whole else least, high, between=largest / least < _FEW_DECADES)


def _ticks(axis: Axis, low: float, high: float, *, between: bool) -> None:
    """Puts ticks at 0 and at powers of ten from `low` to `high`, and on request at numbers between them.

    Below `low` the axis is linear and short: numbers there would stand on each other.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter

    powers = [10.0**n for n in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    tens = [power for power in powers if low <= power <= high]
    axis.set_major_locator(FixedLocator([0.0, *tens]))
    if not between and len(tens) > 1:
        return
    few = [round(n * power, 12) for power in powers for n in (2, 3, 5) if low <= n * power <= high]
    every = [round(n * power, 12) for power in powers for n in range(2, 10) if low <= n * power <= high]
    axis.set_minor_locator(FixedLocator(few if len(few) + len(tens) > 1 else every))
    axis.set_minor_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.axes.tick_params(axis=axis.axis_name, which="minor", labelsize=8)  # type: ignore[attr-defined]


def logarithmic(axis: Axis, least: float) -> None:
    """Makes an axis logarithmic above `least` and linear down to 0, with plain numbers at its ticks."""
    from matplotlib.ticker import FuncFormatter

    getattr(axis.axes, f"set_{axis.axis_name}scale")("symlog", linthresh=least)  # type: ignore[attr-defined]
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if value >= 0 else ""))


def logarithmic_times(axes: Axes) -> None:
    """Makes the axis of times (ms) logarithmic, also with numbers between powers of ten."""
    from matplotlib.ticker import LogFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.xaxis.set_minor_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(1.0, 0.4)))
    axes.tick_params(axis="x", which="minor", labelsize=8)


def above(axes: Axes, columns: int = 3) -> None:
    """Puts the legend above the picture, where it hides no data."""
    axes.legend(
        fontsize=8,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=columns,
        borderaxespad=0.3,
        columnspacing=1.2,
    )


def note_thinning(axes: Axes, shown: int, total: int, what: str) -> None:
    """Writes in the picture's corner how many of the points are drawn, if not all."""
    if shown < total:
        axes.text(
            1.0,
            0.01,
            f"{shown:,} of {total:,} {what} shown",
            fontsize=8,
            ha="right",
            transform=axes.transAxes,
        )
