"""The report's tables of gaps: all programs on the splits, and strata against programs."""

from __future__ import annotations

import math
from typing import Any

from ...problems.base import SPLITS
from ..numbers import far_mark, figure, reported_cell, spread
from ..record.record import RunRecord
from ..record.reported import REPORTED, trust
from .plots.quality import compared

_MAIN_PROGRAMS = 7
"""Programs of the heat map beside the text; a second one holds all."""
_LEAST_SPAN = 10.0
"""Least ratio of the largest to the smallest gap that the colours cover."""
_PALEST = 0.08


def programs(record: RunRecord) -> list[dict[str, Any]]:
    """One row for each compared program, with its figures on the three splits; the best candidate first."""
    rows = []
    for program in _ordered(record):
        figures = {split: record.figures(program, split) for split in SPLITS}
        splits = {split: None if f is None else f.as_json() for split, f in figures.items()}
        rows.append(
            {
                "name": record.title(program),
                "is_best": program == record.best,
                "splits": splits,
                "cells": {split: cell(figures) for split, figures in splits.items()},
            }
        )
    return rows


def cell(figures: Any) -> tuple[str, str]:
    """A mean gap in percent without its sign, and its 95 % interval or counts; both are texts."""
    if figures is None:
        return "–", ""
    if figures["failed"]:
        return f"failed on {figures['failed']}", ""
    if "reported_score" in figures:
        score, _, change = reported_cell(figures).partition(" ")
        return score, change
    return f"{figure(figures['mean_gap_percent'])} {far_mark(figures)}".strip(), spread(figures)


def heat(record: RunRecord, split: str | None) -> dict[str, Any] | None:
    """Strata × programs: mean gap, and a heat in [0, 1] on a logarithmic scale."""
    if split is None or trust(record.reader) == REPORTED:
        return None
    every = _ordered(record)
    table = {p: record.strata(p, split) for p in every}
    names = sorted({name for row in table.values() for name in row})
    gaps = {p: {n: f.mean_gap_percent for n, f in row.items()} for p, row in table.items()}
    main = every[:_MAIN_PROGRAMS]  # one useless baseline among the others would make all other cells pale
    positive = [g for p in main for g in gaps[p].values() if g is not None and g > 0]
    low, high = (min(positive), max(positive)) if positive else (1.0, 1.0)
    low = min(low, high / _LEAST_SPAN)
    rows = [
        {
            "stratum": name,
            "instances": max(f.instances for row in table.values() if (f := row.get(name)) is not None),
            "cells": [
                {"gap": (g := gaps[p].get(name)), "heat": _heat(g, low, high), "best": p == record.best}
                for p in every
            ],
        }
        for name in names
    ]
    return {
        "programs": [record.title(p) for p in every],
        "main": min(len(every), _MAIN_PROGRAMS),
        "rows": rows,
        "low": low,
        "high": high,
    }


def _heat(gap: float | None, low: float, high: float) -> float:
    if gap is None or gap <= 0:
        return 0.0
    return round(_PALEST + (1 - _PALEST) * math.log(min(max(gap, low), high) / low) / math.log(high / low), 3)


def _ordered(record: RunRecord) -> list[str]:
    """Best candidate, start program, then the baselines, best first: what matters stays on a small screen."""
    found = compared(record)
    first = [p for p in (record.best, record.start) if p is not None]
    baselines = [p for p in found if p not in first]
    return list(dict.fromkeys([*first[:1], *baselines[:1], *first[1:], *baselines[1:]]))
