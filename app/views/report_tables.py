"""The report's tables: gaps of all programs, strata against programs, and all candidates."""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from ...evolve.store.statistics import failures
from ...evolve.store.tally import export_rows
from ...problems.base import SPLITS
from ..formatting import clean, far_mark, figure, json_text, one_line, reported_cell, spread
from ..runs.figures import REPORTED, trust
from ..runs.record import SHORT, RunRecord, metric_rows
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


# All candidates of a run for the report: a table that the page sorts and filters, and their texts.

_NOTE = 160
"""Longest note of a candidate: its idea, or why it failed (characters)."""
_LEAST_TEXTS = 120_000
"""Room that the texts of candidates have on every page (bytes)."""
_BASE64 = 4 / 3


def candidates_of(record: RunRecord) -> list[dict[str, Any]]:
    """One row for each candidate, in the order in which they came.

    A row has `id`, `iteration`, `island`, `made` (operator or origin), `parents`, `loss` (training, percent
    of max(|reference|, scale); None unless complete), `valid` and `test` (likewise), `ms` (CPU time per
    training execution), `nodes`, `status`, `elite`, `note`, `text` and `metrics` (name and three cells each).
    """
    archive = record.archive
    elites = set() if archive is None else {elite.candidate.id for elite in archive.elites()}
    notes = {id: message for id, _, message in failures(record.reader)}
    for row in export_rows(record.reader, "iterations"):
        if row["candidate"] is not None and row["excerpt"]:
            notes.setdefault(row["candidate"], row["excerpt"])
    reported = trust(record.reader) == REPORTED
    rows = [_row(row, elites, notes) for row in export_rows(record.reader, "candidates")]
    return [{**row, "metrics": metric_rows(record, row["id"]) if reported else []} for row in rows]


def _row(row: Mapping[str, Any], elites: set[str], notes: Mapping[str, str]) -> dict[str, Any]:
    executions = row["train_executions"]
    return {
        "id": row["candidate"],
        "short": row["candidate"][:SHORT],
        "iteration": row["iteration"],
        "island": row["island"],
        "made": clean(row["operator"] or row["origin"]),
        "parents": row["parents"] or [],
        "loss": _loss(row["train_fitness"]),
        "valid": _loss(row["valid_fitness"]),
        "test": _loss(row["test_fitness"]),
        "ms": 1000 * row["train_cpu_seconds"] / executions if executions else None,
        "nodes": row["nodes"],
        "status": row["train_status"] or "not evaluated",
        "elite": row["candidate"] in elites,
        "note": one_line(notes.get(row["candidate"], ""), _NOTE),
        "text": clean("\n".join(row["files"].values()).rstrip()),
    }


def _loss(fitness: float | None) -> float | None:
    return None if fitness is None else -100 * fitness + 0.0


def packed(rows: Sequence[Mapping[str, Any]], best: str | None, room: int) -> str:
    """Candidates as base64 of a zlib stream of JSON.

    The table is whole. Texts and notes are those of the best candidate and its ancestors, of the elites and
    theirs, then of the others by training loss, as many as `room` (bytes of the page) holds.
    """
    size = next(n for n in (SHORT, 16, 64) if len({row["id"][:n] for row in rows}) == len(rows) or n == 64)
    number = {row["id"]: n for n, row in enumerate(rows)}
    made = list(dict.fromkeys(row["made"] for row in rows))
    made_number = {name: n for n, name in enumerate(made)}
    states = list(dict.fromkeys(row["status"] for row in rows))
    document = {
        "size": size,
        "best": number.get(best or "", -1),
        "made_names": made,
        "status_names": states,
        "id": "".join(row["id"][:size].ljust(size) for row in rows),
        "parents": [[number[p] for p in row["parents"] if p in number] for row in rows],
        "made": [made_number[row["made"]] for row in rows],
        "status": [states.index(row["status"]) for row in rows],
        "step": [
            b - a for a, b in pairwise([0, *[row["iteration"] for row in rows]])
        ],  # differences pack better
        **{name: [row[name] for row in rows] for name in ("island", "nodes")},
        "elite": [n for n, row in enumerate(rows) if row["elite"]],
        **{name: [_rounded(row[name], digits) for row in rows] for name, digits in (("loss", 4), ("ms", 2))},
        **{
            name: {n: _rounded(row[name], 4) for n, row in enumerate(rows) if row[name] is not None}
            for name in ("valid", "test")
        },
    }
    table = json_text(document, separators=(",", ":"))
    packer = zlib.compressobj(9)
    parts = [packer.compress(table[:-1].encode()), packer.flush(zlib.Z_SYNC_FLUSH)]
    used = sum(map(len, parts))
    most = max(room / _BASE64, used + _LEAST_TEXTS / _BASE64)
    parts.append(packer.compress(b',"texts":{"-1":["","",[]]'))
    for n in _order(rows, number, best):
        entry = json.dumps([rows[n][name] for name in ("text", "note", "metrics")], separators=(",", ":"))
        parts.append(packer.compress(f',"{n}":{entry}'.encode()) + packer.flush(zlib.Z_SYNC_FLUSH))
        used += len(parts[-1])
        if used > most:
            break
    parts += [packer.compress(b"}}"), packer.flush()]
    return base64.b64encode(b"".join(parts)).decode()


def _rounded(value: float | None, digits: int) -> float | None:
    """A number with so many significant digits, which packs well."""
    return None if value is None else float(f"{value:.{digits}g}")


def _order(rows: Sequence[Mapping[str, Any]], number: Mapping[str, int], best: str | None) -> list[int]:
    """Numbers of candidates in the order in which readers miss their texts."""
    by_loss = sorted(range(len(rows)), key=lambda n: (rows[n]["loss"] is None, rows[n]["loss"] or 0.0, n))
    first = [number[best]] if best is not None and best in number else []
    order: dict[int, None] = {}
    for n in [*first, *[n for n in by_loss if rows[n]["elite"]]]:
        line: int | None = n
        while line is not None and line not in order:
            order[line] = None
            parents = [number[p] for p in rows[line]["parents"] if p in number]
            line = parents[0] if parents else None
    return list(order | dict.fromkeys(by_loss))
