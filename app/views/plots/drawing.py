"""Draws answers from a problem's plain shapes, for papers and coarsely in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ....problems.base import Drawing, Shape
from .canvas import BLUE, GREEN, GREY, INK, ORANGE, RED, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.text import Text

_COLOURS = (BLUE, ORANGE, GREEN, GREY, RED)
_TERMINAL = ("blue", "yellow", "green", "white", "red")
_FILLS = "█▓▒░#"
_LINES = 14
_FEWEST_ROWS = 4
"""Rows of a drawing from which each gets one line; fewer are easier to read on several lines each."""


def draw(drawings: Mapping[str, Drawing]) -> Figure:
    """A figure of several programs' answers to one instance, one below the other on the same scale."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch, Rectangle

    groups = _groups(drawings.values())
    right, top = extent(drawings.values())
    with styled():
        figure = Figure(figsize=(8.0, 0.8 + 2.2 * len(drawings)), layout="constrained")
        axes = figure.subplots(len(drawings), 1, squeeze=False)
        for (name, drawing), (ax,) in zip(drawings.items(), axes, strict=True):
            for shape in drawing.shapes:
                colour = _COLOURS[groups[shape.group] % len(_COLOURS)]
                if shape.kind == "rectangle":
                    ax.add_patch(
                        Rectangle(
                            (shape.x, shape.y),
                            shape.width,
                            shape.height,
                            facecolor=colour,
                            edgecolor=INK,
                            linewidth=0.4,
                        )
                    )
                elif shape.kind == "line":
                    ends = ([shape.x, shape.x + shape.width], [shape.y, shape.y + shape.height])
                    ax.plot(*ends, color=colour, linewidth=1.2)
                if shape.kind == "label" or (shape.kind == "rectangle" and shape.width > right / 60):
                    x, y = shape.x + shape.width / 2, shape.y + shape.height / 2
                    ax.text(x, y, shape.text, ha="center", va="center", fontsize=6, parse_math=False)
            ax.set_xlim(0, right)
            ax.set_ylim(0, top)
            ax.grid(visible=False)
            ax.set_title(f"{name}: {drawing.title}", fontsize=9, loc="left", parse_math=False)
            ax.set_ylabel(drawing.y_title, parse_math=False)
            ax.set_xlabel(drawing.x_title, parse_math=False)
        marks = [Patch(facecolor=_COLOURS[n % len(_COLOURS)], label=g) for g, n in groups.items() if g]
        if marks:
            figure.legend(handles=marks, loc="outside lower center", ncols=len(marks), fontsize=8)
    return figure


def in_terminal(drawing: Drawing, width: int, height: int, right: float, top: float) -> Text:
    """A drawing as blocks, `width` columns and `height` lines; colours and fills tell groups apart."""
    from rich.text import Text

    groups = _groups([drawing])
    cells: list[list[tuple[str, str]]] = [[(" ", "")] * width for _ in range(height)]
    for shape in sorted(drawing.shapes, key=lambda s: s.kind == "rectangle", reverse=True):
        if shape.kind == "label":
            continue
        number = groups[shape.group] % len(_FILLS)
        mark = (_mark(shape, number), _TERMINAL[number])
        for row, column in _cells(shape, right, width, top, height):
            cells[height - 1 - row][column] = mark
        _separate(cells, shape, right, width, top, height)
        _write(cells, shape, right, width, top, height)
    text = Text()
    for line in cells:
        for character, style in line:
            text.append(character, style=style)
        text.append("\n")
    marks: dict[str, str] = {}
    for shape in drawing.shapes:
        if shape.kind != "label":
            marks.setdefault(shape.group, _mark(shape, groups[shape.group] % len(_FILLS)))
    legend = [f"{mark} {group}" for group, mark in marks.items() if group]
    return text.append("  ".join(legend))


_FLAT = 8
"""Lines that are this much wider than high are drawn as flat ones, the others likewise (ratio)."""


def _mark(shape: Shape, number: int) -> str:
    """The character for the cells of a shape, in the drawing and in the legend."""
    if shape.kind == "line":
        wide, high = abs(shape.width), abs(shape.height)
        return "─" if wide > _FLAT * high else "│" if high > _FLAT * wide else "·"
    return _FILLS[number]


def _cells(shape: Shape, right: float, width: int, top: float, height: int) -> Iterator[tuple[int, int]]:
    """(row, column) of the cells that a shape covers: all of a rectangle, those on the way of a line."""
    if shape.kind != "line":
        for row in _span(shape.y, shape.height, top, height):
            for column in _span(shape.x, shape.width, right, width):
                yield row, column
        return
    steps = max(abs(shape.width) / right * width, abs(shape.height) / top * height, 1)
    for number in range(int(steps) + 1):
        x = shape.x + shape.width * number / max(1, int(steps))
        y = shape.y + shape.height * number / max(1, int(steps))
        yield min(height - 1, max(0, int(y / top * height))), min(width - 1, max(0, int(x / right * width)))


def _separate(
    cells: list[list[tuple[str, str]]], shape: Shape, right: float, width: int, top: float, height: int
) -> None:
    """Draws a thin edge at the right end of a wide rectangle, so that neighbours stay distinct."""
    columns = _span(shape.x, shape.width, right, width)
    if shape.kind == "rectangle" and len(columns) > 1:
        for row in _span(shape.y, shape.height, top, height):
            character, style = cells[height - 1 - row][columns[-1]]
            cells[height - 1 - row][columns[-1]] = ("▌" if character == "█" else "|", style)


def _write(
    cells: list[list[tuple[str, str]]], shape: Shape, right: float, width: int, top: float, height: int
) -> None:
    """A rectangle's text on its lowest line, where it leaves a cell at either side."""
    columns = _span(shape.x, shape.width, right, width)
    if shape.kind != "rectangle" or not shape.text or len(columns) < len(shape.text) + 2:
        return
    row = height - 1 - _span(shape.y, shape.height, top, height)[0]
    first = columns[0] + (len(columns) - len(shape.text)) // 2
    for column, character in enumerate(shape.text, first):
        cells[row][column] = (character, f"{cells[row][column][1]} reverse")


def _span(start: float, length: float, whole: float, cells: int) -> range:
    """The cells that [start, start + length] covers, at least one."""
    first = min(cells - 1, max(0, int(start / whole * cells)))
    last = min(cells, max(first + 1, round((start + length) / whole * cells)))
    return range(first, last)


def _groups(drawings: Iterable[Drawing]) -> dict[str, int]:
    """Group → number, in order of first appearance."""
    found: dict[str, int] = {}
    for drawing in drawings:
        for shape in drawing.shapes:
            found.setdefault(shape.group, len(found))
    return found


def lines(drawings: Iterable[Drawing], top: float) -> tuple[int, float]:
    """Lines of a terminal for drawings, and the y at the upper end of the first.

    One line for each row where all rectangles lie in rows of height 1, of which there are several.
    """
    places = {(int(s.y), s.y + s.height) for d in drawings for s in d.shapes if s.kind == "rectangle"}
    rows = {row for row, _ in places}
    if len(rows) < _FEWEST_ROWS or any(end > row + 1 for row, end in places):
        return _LINES, top
    return max(rows) + 1, max(rows) + 1.0


def extent(drawings: Iterable[Drawing]) -> tuple[float, float]:
    """Largest x and y of the shapes, both > 0, so that drawings share a scale."""
    shapes = [shape for drawing in drawings for shape in drawing.shapes]
    right = max([1e-9, *[s.x + max(0.0, s.width) for s in shapes]])
    return right, 1.05 * max([1e-9, *[s.y + max(0.0, s.height) for s in shapes]])
