"""A table that never reads its cells as markup, because names in a run may look like markup."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from ..words import clean

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
