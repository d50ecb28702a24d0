"""The picture of a run's kept answers: Gantt charts, packings, maps, as its problem draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...record.drawings import kept_drawings
from ...record.record import RunRecord
from .drawing import draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(record: RunRecord) -> Figure | None:
    """The kept answers of best candidate and best baseline; None for a run that keeps none."""
    kept = kept_drawings(record.reader)
    if kept is None:
        return None
    return draw({_name(record, program): drawing for program, drawing in kept.programs.items()})


def _name(record: RunRecord, program: str) -> str:
    """A program's name above its picture; a champion that is a baseline has that name too."""
    name = (record.reader.record("founders") or {}).get(program)
    return record.title(program) if name is None else f"{record.title(program)} ({name})"
