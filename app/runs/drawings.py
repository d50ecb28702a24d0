"""Drawings that a campaign keeps: the answers of its champion and of the best baseline to one instance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, Final

from ...evolve.store.reader import Reader
from ...evolve.store.schema import StoreError
from ...problems.base import Drawing, Shape

KEY: Final = "drawing"
MOST_SHAPES = 2_500
"""Shapes of all drawings together that a run keeps; more would fill the report."""
_MOST_PROGRAMS = 4
_MOST_TEXT = 200
_FAR = 1e12
"""Coordinates beyond this are refused: a picture of them shows nothing."""
_KINDS = ("rectangle", "line", "label")
UNFIT = (
    f"draw: got a shape that no run keeps, expected kinds {', '.join(_KINDS)}, numbers within ±{_FAR:g} and "
    f"texts of at most {_MOST_TEXT} characters"
)
"""What is wrong with a problem's drawing that `decoded` refuses."""


@dataclass(frozen=True, slots=True)
class StoredDrawings:
    """Drawings of several programs' answers to one instance.

    Attributes:
        instance: id of the instance.
        programs: candidate (id) or baseline (`baseline/NAME`) → drawing of its answer.
    """

    instance: str
    programs: Mapping[str, Drawing]


def encode(kept: StoredDrawings) -> dict[str, Any]:
    """The drawings as a document of the store."""
    return {
        "instance": kept.instance,
        "programs": {
            program: [d.title, d.x_title, d.y_title, [list(astuple(shape)) for shape in d.shapes]]
            for program, d in kept.programs.items()
        },
    }


def stored_drawings(reader: Reader) -> StoredDrawings | None:
    """The drawings of a run; None if the run keeps none.

    Raises:
        StoreError: the record is damaged.
    """
    document = reader.record(KEY)
    if document is None:
        return None
    kept = decoded(document)
    if kept is None:
        raise StoreError(
            "the recorded drawing is damaged: expected an instance and lists of shapes for its programs"
        )
    return kept


def decoded(document: Any) -> StoredDrawings | None:
    """The drawings of a document; None for one that no run may keep."""
    try:
        programs = {_text(name): _drawing(rows) for name, rows in document["programs"].items()}
        if not 1 <= len(programs) <= _MOST_PROGRAMS or size(programs) > MOST_SHAPES:
            return None
        return StoredDrawings(_text(document["instance"]), programs)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError):
        return None


def size(programs: Mapping[str, Drawing]) -> int:
    """Shapes of all drawings together (count)."""
    return sum(len(drawing.shapes) for drawing in programs.values())


def _drawing(rows: Any) -> Drawing:
    title, x_title, y_title, shapes = rows
    return Drawing(_text(title), _text(x_title), _text(y_title), tuple(map(_shape, shapes)))


def _shape(row: Any) -> Shape:
    kind, x, y, width, height, text, group = row
    if kind not in _KINDS:
        raise ValueError(kind)
    return Shape(kind, _place(x), _place(y), _place(width), _place(height), _text(text), _text(group))


def _place(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(value)
    if abs(value) > _FAR:
        raise ValueError(value)
    return float(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        raise ValueError(value)
    return value
