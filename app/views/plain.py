"""A table that never reads its cells as markup, because names in a run may look like markup."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from ..words import clean

NARROW = 60
"""Columns of a console below which a table that does not fit becomes lines (count)."""
_GAP = 2
"""Columns between those of a table (count)."""
_TITLE_COLUMNS = 79


class PlainTable(Table):
    """A table in Gapsmith's style; strings in titles, headers and cells are never read as markup."""

    def __init__(self, title: str) -> None:
        """Takes the title (empty: none), which is shown on one line after an empty line."""
        super().__init__(
            title=Text(f"\n{clean(title)}", style="bold") if title else None,
            title_justify="left",
            min_width=min(len(title), _TITLE_COLUMNS),
            box=box.SIMPLE_HEAD,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )

    def add_column(self, header: RenderableType = "", *rest: Any, **options: Any) -> None:
        """Adds a column."""
        super().add_column(_text(header), *rest, **options)

    def add_row(
        self,
        *cells: RenderableType | None,
        style: str | Style | None = None,
        end_section: bool = False,
    ) -> None:
        """Adds a row."""
        super().add_row(*[_text(cell) for cell in cells], style=style, end_section=end_section)


def _text(cell: Any) -> Any:
    return Text(clean(cell)) if isinstance(cell, str) else cell


def fits(table: Table, width: int) -> bool:
    """Whether a console of some columns shows a table without cutting a cell; a wide one wraps long cells."""
    if width >= NARROW:
        return True
    widths = [
        column.width
        or max(cell_len(line) for cell in (column.header, *column.cells) for line in _lines(cell))
        for column in table.columns
    ]
    return sum(widths) + _GAP * (len(widths) - 1) <= width


def records(table: Table) -> list[Text]:
    """A table as lines for a narrow console: of each row the first cell, and below it `header: cell`."""
    title = Text(str(table.title), style="bold") if table.title else None
    headers = [" ".join(_lines(column.header)) for column in table.columns]
    lines = [] if title is None else [title]
    for row, cells in zip(
        table.rows, zip(*(column.cells for column in table.columns), strict=True), strict=True
    ):
        style = row.style or ""
        lines.append(Text(f"{headers[0]} {_words(cells[0])}".strip(), style=style))
        rest = zip(headers[1:], map(_words, cells[1:]), strict=True)
        lines += [
            Text(f"  {header}: {words}".replace("  : ", "  "), style=style) for header, words in rest if words
        ]
    return lines


def _lines(cell: Any) -> list[str]:
    return str(cell).split("\n")


def _words(cell: Any) -> str:
    return " ".join(_lines(cell)).strip()
