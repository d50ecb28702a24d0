"""The best that programs of a run reached on single instances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ...problems.base import Number, decode_number
from .reader import Reader


@dataclass(frozen=True, slots=True)
class Best:
    """The best valid answer to an instance: program, objective and excess in the problem's unit."""

    program: str
    objective: Number
    excess: Number


def best_by_instance(reader: Reader, instance: str) -> Best | None:
    """The best answer that any program of a run gave to an instance (its id); None without a valid one.

    Raises:
        StoreError: what is stored of an execution is none.
    """
    return bests(reader, "WHERE i.name = ?", (instance,)).get(instance)


def training_bests(reader: Reader) -> Mapping[str, Best]:
    """Training instance → the best answer to it."""
    return bests(reader, "WHERE i.split = 'train'", ())


def bests(reader: Reader, where: str, values: tuple[str, ...]) -> dict[str, Best]:
    """Instance → the best answer to it, of the first program that gave it."""
    rows = reader.rows(
        "SELECT i.name, e.program, x.objective, x.excess FROM executions x "
        "JOIN evaluations e ON e.id = x.evaluation JOIN instances i ON i.id = x.instance "
        f"{where} AND x.status = 'ok' AND x.excess IS NOT NULL ORDER BY e.program LIKE 'baseline/%', e.id",
        values,
    )
    found: dict[str, Best] = {}
    with reader.sound("executions"):
        for row in rows:
            best = Best(row["program"], decode_number(row["objective"]), decode_number(row["excess"]))
            if row["name"] not in found or best.excess < found[row["name"]].excess:
                found[row["name"]] = best
    return found
