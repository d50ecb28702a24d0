"""What a foreign evaluator measured of a candidate, over the executions of a split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...evaluators.base import Metric, Score
from ...problems.base import SPLITS
from ..words import UNKNOWN, one_line
from .record import RunRecord

_CELL = 40
"""Longest text of a metric in a table (characters)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The values of one metric, one for each execution that has it."""

    values: tuple[Metric, ...]

    @property
    def numbers(self) -> list[float]:
        """The values if all are numbers, else nothing."""
        values = [v for v in self.values if isinstance(v, int | float) and not isinstance(v, bool)]
        return [float(value) for value in values] if len(values) == len(self.values) else []

    @property
    def cell(self) -> str:
        """Mean, with the least and the greatest value where these differ; of texts the different ones."""
        numbers = self.numbers
        if not numbers:
            return one_line(" | ".join(dict.fromkeys(map(str, self.values))), _CELL)
        mean = f"{_mean(numbers):.5g}"
        least, most = min(numbers), max(numbers)
        return mean if least == most else f"{mean} ({least:.4g} to {most:.4g})"

    def as_json(self) -> dict[str, Any]:
        """Executions (count), and mean, least and greatest value; null where a value is no number."""
        numbers = self.numbers
        figures = (_mean(numbers), min(numbers), max(numbers)) if numbers else (None, None, None)
        return {"executions": len(self.values), **dict(zip(("mean", "least", "most"), figures, strict=True))}


def _mean(numbers: list[float]) -> float:
    return sum(number / len(numbers) for number in numbers)


def measured(scores: Iterable[Score]) -> dict[str, Measured]:
    """Name → values of each metric, in the order in which the evaluator gave them first."""
    values: dict[str, list[Metric]] = {}
    for score in scores:
        for name, value in (score.metrics or {}).items():
            values.setdefault(name, []).append(value)
    return {name: Measured(tuple(some)) for name, some in values.items()}


def metric_rows(record: RunRecord, id: str) -> list[list[str]]:
    """Name of each metric of a candidate, and its cell for each split; no row without any."""
    figures = {split: measured(record.scores(id, split)) for split in SPLITS}
    names = dict.fromkeys(name for of_split in figures.values() for name in of_split)
    cells = {n: [m[n].cell if n in m else UNKNOWN for m in figures.values()] for n in names}
    return [[one_line(name, _CELL), *cells[name]] for name in names]
