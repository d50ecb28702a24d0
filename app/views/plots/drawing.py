"""Draws answers from a problem's plain shapes, for papers and coarsely in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....problems.base import Drawing, Shape
from ...formatting import clean, one_line
from .canvas import BLUE, GREEN, GREY, INK, NAME, ORANGE, RED, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.console import Console
    from rich.text import Text

_COLOURS = (BLUE, ORANGE, GREY, RED, GREEN)
_DASHES = ("-", "--", ":")
_HATCHES = ("", "///", "...")
_TERMINAL = ("blue", "yellow", "white", "red", "green")
_FILLS = "█▓▒░#"
_LINES = 14
_FEWEST_ROWS = 4
"""Rows of a drawing from which each gets one line; fewer are easier to read on several lines each."""
_LEGEND = 6
"""The most groups in a row of the legend (count)."""
_EDGE = 0.4
"""Width of a rectangle's edge (points)."""
_EDGE_SHARE = 0.1
"""The same as a share of a thin rectangle's width or height."""
_POINTS = 6
"""Size of the texts in a drawing (points)."""
_ROW_NUMBERS = 16
"""The most rows of a Gantt chart that are numbered (count)."""


def draw(drawings: Mapping[str, Drawing]) -> Figure:
    """A figure of several programs' answers to one instance, on the same scale.

    Maps stand side by side, with one unit as long upwards as to the right; others one below the other.
    """
    drawings = {one_line(name, 2 * NAME): _legible(drawing) for name, drawing in drawings.items()}
    groups = _groups(drawings.values())
    count = len(drawings)
    right, top = extent(drawings.values())
    flat = _are_maps(drawings.values())
    with styled():
        from matplotlib.figure import Figure
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        size = (8.0, 0.8 + (3.7 if count > 1 else 6.4) if flat else 0.8 + 2.2 * count)
        figure = Figure(figsize=size, layout="constrained")
        grid = figure.subplots(*((1, count) if flat else (count, 1)), squeeze=False)
        for (name, drawing), ax in zip(drawings.items(), grid.flat, strict=True):
            ax.set_xlim(0, right)
            ax.set_ylim(0, top)
            ax.grid(visible=False)
            if flat:
                ax.set_aspect("equal")
            title = f"{name}:\n{drawing.title}" if flat else f"{name}: {drawing.title}"
            ax.set_title(title, fontsize=9, loc="left", parse_math=False)
            ax.set_ylabel(drawing.y_title, parse_math=False)
            ax.set_xlabel(drawing.x_title, parse_math=False)
            _number_rows(ax, drawings.values())
            if not drawing.y_title:  # rows that only their labels name
                ax.set_yticks([])
            room = _Room(right, top, *((480 / count, 260) if flat else (510, 110)))
            for shape in drawing.shapes:
                _add(ax, shape, groups[shape.group], room, dots=flat)
        kinds = {s.group: s.kind for d in drawings.values() for s in d.shapes}
        marks = [
            Line2D([], [], label=group, **_line_look(n))
            if kinds[group] == "line"
            else Patch(label=group, **_area_look(n))
            for group, n in groups.items()
            if group
        ]
        if marks:
            columns = -(-len(marks) // -(-len(marks) // _LEGEND))  # rows of equal length
            figure.legend(handles=marks, loc="outside lower center", ncols=columns, fontsize=8)
    return figure


def _legible(drawing: Drawing) -> Drawing:
    """A drawing with texts that can be written into a picture, whatever a problem or a record says."""
    shapes = tuple(
        replace(shape, text=one_line(shape.text, NAME), group=one_line(shape.group, NAME))
        for shape in drawing.shapes
    )
    title, x_title, y_title = (
        one_line(text, 2 * NAME) for text in (drawing.title, drawing.x_title, drawing.y_title)
    )
    return Drawing(title, x_title, y_title, shapes)


def _line_look(group: int) -> dict[str, Any]:
    """Colour of a group's lines; where colours repeat, lines are dashed or dotted."""
    return {"color": _COLOURS[group % len(_COLOURS)], "linestyle": _DASHES[group // len(_COLOURS) % 3]}


def _area_look(group: int) -> dict[str, Any]:
    """Colour of a group's rectangles; where colours repeat, rectangles are hatched."""
    hatch = _HATCHES[group // len(_COLOURS) % 3]
    colour = _COLOURS[group % len(_COLOURS)]
    return {"facecolor": colour, "hatch": hatch, "edgecolor": INK, "linewidth": _EDGE}


def _add(ax: Axes, shape: Shape, group: int, room: _Room, *, dots: bool) -> None:
    """Draws one shape, with its text where there is room; `dots` marks the places of labels."""
    from matplotlib.patches import Rectangle

    x = shape.x
    y = shape.y
    width = shape.width
    height = shape.height
    if shape.kind == "rectangle":
        ax.add_patch(
            Rectangle((x, y), width, height, **_area_look(group) | {"linewidth": room.edge(width, height)})
        )
        if room.holds(shape.text, width, height):
            middle = (x + width / 2, y + height / 2)
            ax.text(
                *middle, shape.text, ha="center", va="center_baseline", fontsize=_POINTS, parse_math=False
            )
    elif shape.kind == "line":
        ax.plot([x, x + width], [y, y + height], linewidth=1.2, **_line_look(group))
    else:
        if dots:
            ax.plot([x], [y], "o", color=INK, markersize=2, clip_on=False)
        if room.takes(shape.text, x, y):
            ax.annotate(
                shape.text,
                (x, y),
                (1, 1),
                textcoords="offset points",
                ha="left",
                va="bottom",
                fontsize=_POINTS,
                parse_math=False,
            )


class _Room:
    """Where texts fit into axes of about some width and height, in points."""

    def __init__(self, right: float, top: float, width: float, height: float) -> None:
        """Takes the largest x and y, and the axes' size in points."""
        self._unit = (0.6 * _POINTS * right / width, 1.1 * _POINTS * top / height)
        self._scale = (width / right, height / top)
        self._taken: list[tuple[float, float, float]] = []

    def edge(self, width: float, height: float) -> float:
        """Points of the edge of a rectangle of this width and height; thin ones keep their colour."""
        return min(_EDGE, _EDGE_SHARE * width * self._scale[0], _EDGE_SHARE * height * self._scale[1])

    def holds(self, text: str, width: float, height: float) -> bool:
        """Whether a rectangle of this width and height holds a text."""
        return bool(text) and (len(text) + 0.5) * self._unit[0] <= width and self._unit[1] <= height

    def takes(self, text: str, x: float, y: float) -> bool:
        """Whether a label at (x, y) leaves the earlier ones legible; the place is taken if so."""
        end = x + (len(text) + 0.5) * self._unit[0]
        if any(x < b and a < end and abs(y - at) < self._unit[1] for a, b, at in self._taken):
            return False
        self._taken.append((x, end, y))
        return True


def _are_maps(drawings: Iterable[Drawing]) -> bool:
    """Whether all shapes are lines and labels."""
    return all(shape.kind != "rectangle" for drawing in drawings for shape in drawing.shapes)


def _number_rows(ax: Axes, drawings: Iterable[Drawing]) -> None:
    """Numbers the rows of a Gantt chart in their middles, where all rectangles lie in rows of height 1."""
    count = rows(drawings, 2)
    if count:
        step = -(-count // _ROW_NUMBERS)
        ax.set_yticks([row + 0.5 for row in range(0, count, step)], [str(n) for n in range(0, count, step)])
        ax.tick_params(axis="y", length=0)


def print_drawings(console: Console, drawings: Mapping[str, Drawing]) -> None:
    """Prints several programs' answers to one instance, on the same scale."""
    right, top = extent(drawings.values())
    height, top = lines(drawings.values(), top)
    for name, drawing in drawings.items():
        axes = " over ".join(title for title in (drawing.y_title, drawing.x_title) if title)
        title = f"\n{clean(name)}: {clean(drawing.title)}; {clean(axes)}"
        console.print(title, markup=False, soft_wrap=False)
        console.print(in_terminal(drawing, min(console.width, 120), height, right, top), soft_wrap=False)


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
        wide = abs(shape.width)
        high = abs(shape.height)
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
    count = rows(drawings)
    return (count, float(count)) if count else (_LINES, top)


def rows(drawings: Iterable[Drawing], fewest: int = _FEWEST_ROWS) -> int:
    """Rows of height 1 in which all rectangles lie (count); 0 for other drawings, and below `fewest` rows."""
    places = {(int(s.y), s.y + s.height) for d in drawings for s in d.shapes if s.kind == "rectangle"}
    found = {row for row, _ in places}
    if len(found) < fewest or any(end > row + 1 for row, end in places):
        return 0
    return max(found) + 1


def extent(drawings: Iterable[Drawing]) -> tuple[float, float]:
    """Largest x and y of the shapes, both > 0, so that drawings share a scale."""
    shapes = [shape for drawing in drawings for shape in drawing.shapes]
    right = max([1e-9, *[s.x + max(0.0, s.width) for s in shapes]])
    return right, 1.05 * max([1e-9, *[s.y + max(0.0, s.height) for s in shapes]])
