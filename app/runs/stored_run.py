"""What the store holds of one run, each loaded once: figures, drawings, what is spent and what is left."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Final

from ...evaluators.base import Evaluation
from ...evolve.store.reader import Reader
from ...evolve.store.schema import StoreError
from ...evolve.store.statistics import asked, made_by, work
from ...evolve.store.tally import Tally
from ...evolve.tuning import OPERATOR
from ...evolve.types import Candidate
from ...problems.base import Drawing, Instance, Shape
from .figures import stop_reason
from .folders import status
from .signature import is_own

DRAWING_KEY: Final = "drawing"
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
    document = reader.record(DRAWING_KEY)
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


class StoredRun:
    """One run as its store holds it.

    Attributes:
        incomplete: whether the latest entries are missing: the store was not closed, and its journal cannot
            be read because the folder is read-only.
    """

    def __init__(self, folder: Path, reader: Reader, incomplete: bool = False) -> None:
        self.folder = folder
        self.reader = reader
        self.incomplete = incomplete
        self._instances: dict[str, Instance] | None = None
        self._evaluations: dict[tuple[str, str, int | None], Evaluation | None] = {}
        self._foreign: bool | None = None

    @property
    def name(self) -> str:
        """Name of the run folder."""
        return self.folder.resolve().name

    @property
    def problem(self) -> dict[str, Any]:
        """The recorded problem: name, version, sense, unit, …; empty until the run has recorded it."""
        return self.reader.record("problem") or {}

    @property
    def config(self) -> dict[str, Any]:
        """The resolved configuration."""
        return self.reader.record("config") or {}

    @property
    def start(self) -> str | None:
        """Id of the first start program."""
        id: str | None = self.reader.record("start")
        return id

    @property
    def foreign(self) -> bool:
        """Whether the run was made or changed by another than this user, on this machine."""
        if self._foreign is None:
            self._foreign = not is_own(self.reader)
        return self._foreign

    @property
    def instances(self) -> dict[str, Instance]:
        """Id → instance, all splits."""
        if self._instances is None:
            self._instances = self.reader.instances()
        return self._instances

    @property
    def prefixes(self) -> tuple[int, ...]:
        """Sizes of the prefixes of the pool of training instances (counts); one in a run without a pool.

        Raises:
            StoreError: what is stored are none.
        """
        count = sum(instance.split == "train" for instance in self.instances.values())
        sizes = tuple(self.reader.record("pool") or ())
        if not sizes:
            return (count,)
        if list(sizes) != sorted({*sizes}) or not 0 < sizes[0] <= sizes[-1] <= count:
            raise StoreError(f"{self.folder}: prefixes {str(sizes)[:60]} of {count} training instances")
        return sizes

    def evaluation(self, program: str, split: str, prefix: int | None = None) -> Evaluation | None:
        """Evaluation of a candidate (id) or baseline (`baseline/NAME`); None if there is none.

        Args:
            program, split: of it.
            prefix: of the pool of training instances (count); by default all that the program has seen.

        Raises:
            StoreError: the stored evaluation contradicts itself.
        """
        key = (program, split, prefix)
        if key not in self._evaluations:
            self._evaluations[key] = self.reader.evaluation(program, split, prefix)
        return self._evaluations[key]

    def candidate(self, id: str) -> Candidate:
        """A candidate by its whole id.

        Raises:
            StoreError: the store names this candidate but does not hold it.
        """
        candidate = self.reader.candidate(id)
        if candidate is None:
            raise StoreError(f"{self.folder}: candidate {id} is named but not stored; the file is damaged")
        return candidate


# What a campaign did and spent so far: panel, `watch`, dashboard and report all take it from here.


def progress_of(folder: Path, reader: Reader, tally: Tally) -> dict[str, Any]:
    """Counts, times, spending and what is left of the budget; reads only what is new to the tally.

    Wall seconds are those of the search as of its last outcome, pauses between a stop and a resume left out.
    """
    tally.look(reader)
    config = reader.record("config") or {}
    reason = stop_reason(reader)
    asked = tally.calls
    seconds = reader.record("search_seconds")
    used = {
        "iterations": tallied_iterations(config, tally),
        "evaluations": tally.work.evaluations,
        "executions": tally.budgeted_executions,
        "seconds": None if seconds is None else seconds + (reader.record("prepared_seconds") or 0.0),
        "cpu_seconds": tally.cpu_seconds,
        "tokens": asked.tokens,
        "usd": tally.cost_usd,
    }
    budget = {name: limit for name, limit in (config.get("budget") or {}).items() if limit is not None}
    if "patience" in budget:
        used["patience"] = tally.since_best(reader, OPERATOR if _points_are_free(config) else None)
    return {
        "status": status(folder, reason),
        "stop_reason": reason,
        "iterations": used["iterations"],
        "evaluations": used["evaluations"],
        "executions": tally.executions,
        "cpu_seconds": tally.cpu_seconds,
        "wall_seconds": seconds,
        "rejections": dict(sorted(tally.rejections.items(), key=lambda item: (-item[1], item[0]))),
        "failed": tally.failed,
        "stopped": tally.stopped,
        "model_calls": asked.calls,
        "tokens": asked.tokens,
        "cost_usd": tally.cost_usd,
        "budget": budget,
        "budget_used": used,
        "budget_left": {
            name: max(0, limit - spent)
            for name, limit in budget.items()
            if (spent := used.get(name)) is not None
        },
    }


# Iterations as a budget counts them: beside models, points of tuning are none.


def asked_iterations(reader: Reader) -> int:
    """Iterations that were asked for (count)."""
    return asked(reader) - _points(reader, told=False)


def completed_iterations(reader: Reader) -> int:
    """Iterations that were told (count)."""
    return work(reader).iterations - _points(reader, told=True)


def tallied_iterations(config: Mapping[str, Any], tally: Tally) -> int:
    """Iterations that a tally counted as told (count), under the run's configuration."""
    return tally.work.iterations - (tally.operators[OPERATOR] if _points_are_free(config) else 0)


def _points(reader: Reader, *, told: bool) -> int:
    """Points of tuning that no budget counts (count)."""
    free = _points_are_free(reader.record("config") or {})
    return made_by(reader, OPERATOR, told=told) if free else 0


def _points_are_free(config: Mapping[str, Any]) -> bool:
    """Whether a model takes part, beside which points of tuning are no iterations."""
    specs = [table.get("spec") for table in config.get("model", ())]
    return any(spec != "offline" for spec in specs)
