"""Exports and follows rows of a run: JSON lines, CSV, scalars for TensorBoard."""

from __future__ import annotations

import csv
import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Protocol

from ...evolve.store.exports import export_rows, new_rows
from ...evolve.store.progress import founders_best
from ...evolve.store.reader import Reader
from ...problems.base import decode_number
from ...sandbox import unseen
from ..errors import MISSING, UserError
from ..formatting import escaped, json_text
from .folders import status
from .record import RunRecord, open_record

CASSETTE = "cassette"
"""Prompts and replies of all model calls; `--model replay/FILE.jsonl` answers from them without the run."""

SCORES = "scores"
"""Every program on every instance that it was executed on."""

ELITES = "elites"
"""The elite of each cell of the archive at the end of the record."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Starts of a formula, in full width too, as some spreadsheets read them."""
_NUMBER = re.compile(r"[+-]?(\d++(/\d+|(\.\d+)?(e[+-]?\d+)?)|\.\d+(e[+-]?\d+)?|inf)")
"""Numbers as the store writes them: `-12`, `-7/3`, `-0.5`, `1e-09`."""


def rows(record: RunRecord, what: str) -> Iterator[dict[str, Any]]:
    """Yields the rows of an export."""
    if what == CASSETTE:
        from .course import cassette_of

        yield from cassette_of(record.reader).rows()
        return
    if what == ELITES:
        yield from _elites(record)
        return
    for row in export_rows(record.reader, what):
        yield _with_numbers(row) if what == SCORES else row


def _with_numbers(row: dict[str, Any]) -> dict[str, Any]:
    """A score with numbers for any program beside the exact texts: `gap_percent`, `objective_number`, …"""
    numbers = {key: _float(row[key]) for key in ("objective", "reference", "excess", "gap")}
    gap = numbers.pop("gap")
    row = {**row, "gap_percent": None if gap is None else 100 * gap}
    return {**row, **{f"{key}_number": value for key, value in numbers.items()}}


def _float(text: str | None) -> float | None:
    """A stored number as a float; None of one that is beyond all floats."""
    try:
        return None if text is None else float(decode_number(text))
    except OverflowError:
        return None


def _elites(record: RunRecord) -> Iterator[dict[str, Any]]:
    """Yields one row for each filled cell of each island, the best elite first."""
    for elite in record.archive.elites() if record.archive is not None else ():
        yield {
            "island": elite.island,
            "cell": list(elite.cell),
            "candidate": elite.candidate.id,
            "train_fitness": elite.fitness,
        }


def write_rows(rows: Iterator[Mapping[str, Any]], form: str, stream: IO[str]) -> int:
    """Writes rows as JSON lines or CSV and returns their number; CSV holds nested values as JSON texts."""
    count = 0
    writer: Any = None
    for row in rows:
        count += 1
        if form == "jsonl":
            write_row(row, stream)
            continue
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({key: cell(value) for key, value in row.items()})
    return count


def write_row(row: Mapping[str, Any], stream: IO[str]) -> None:
    """Writes a row as one JSON line."""
    stream.write(escaped(json_text(row, ensure_ascii=False)) + "\n")


def cell(value: Any) -> Any:
    """A value for a CSV row, without invisible characters other than tabs and line ends.

    Puts an apostrophe before a text that a spreadsheet would read as a formula, because a model may have
    written that text.
    """
    if isinstance(value, dict | list):
        return json.dumps(value)
    if not isinstance(value, str):
        return value
    text = unseen.clean(value, tab="\t")
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text


# Follows a run from another process: its rows as they are stored, each exactly once.

LEAST_SECONDS = 1.0
"""Shortest pause between two looks, wall seconds."""
_SHARE = 0.02
"""Share of one core that following may use."""


def follow(folder: Path, *, wait: bool = True) -> Iterator[dict[str, Any]]:
    """Yields outcomes, evaluations and events of a run, then, with `wait`, more until the campaign has ended.

    Rows are those of `new_rows`. A row that is stored after the campaign's last look is not missed: the state
    is read before the rows.
    """
    last = {"outcome": 0, "event": 0, "evaluation": 0}
    checked = True
    while True:
        spent = time.process_time()
        with open_record(folder, checked=checked) as record:
            state = status(folder, record.reader.record("stop_reason"))
            new = new_rows(record.reader, *last.values())
            rows = sorted(new, key=lambda row: float(row["at"] or 0.0))
        checked = False
        for row in rows:
            what = row["what"]
            last[what] = max(last[what], row["told" if what == "outcome" else "id"])
            yield row
        if state != "running" or not wait:
            return
        time.sleep(max(LEAST_SECONDS, (time.process_time() - spent) / _SHARE))


# Writes outcomes and evaluations of a run as scalars for TensorBoard; the run itself knows nothing of it.

UNVERIFIED = "_unverified"
"""Last part of the names of losses that a foreign evaluator reported."""
_SPLITS = {"train": "training", "valid": "validation", "test": "test"}
_COUNTS = ("candidates", "rejections", "model_calls", "tokens")
"""Names of counts; the last two are written once a model was called."""
_FLUSH_SECONDS = 5
"""Longest time that a scalar waits before it is on disk, so that a board shows a running campaign."""


class Sink(Protocol):
    """What takes the scalars: a `SummaryWriter` of tensorboardX."""

    def add_scalar(self, tag: str, value: float, step: int, walltime: float) -> object:
        """Takes one value of a curve."""

    def close(self) -> None:
        """Ends the writing."""


def open_sink(folder: Path) -> Sink:
    """A writer of event files into a folder.

    Raises:
        UserError: tensorboardX is not installed.
    """
    try:
        from tensorboardX import SummaryWriter
    except ImportError as error:
        raise UserError(
            MISSING,
            "--to tensorboard: tensorboardX is missing",
            "install it: `pip install gapsmith[tensorboard]`",
        ) from error
    sink: Sink = SummaryWriter(str(folder), flush_secs=_FLUSH_SECONDS)
    return sink


def first_fitness(reader: Reader) -> float | None:
    """Training fitness of the best start program; None until one was evaluated."""
    return max((fitness for *_, fitness in founders_best(reader)), default=None)


def write_scalars(
    rows: Iterable[Mapping[str, Any]], sink: Sink, first: float | None = None, suffix: str = ""
) -> int:
    """Writes a run's rows (see `follow`) and returns the number of outcomes.

    The step is the number of told iterations. Scalars: `training_loss_percent/candidate` and `/best`, the
    same of `validation_loss_percent`, `test_loss_percent/candidate`, `count/candidates`, `count/rejections`,
    once a model was called `count/model_calls` and `count/tokens`, and `cost_usd` while all prices are known.

    Args:
        rows: outcomes, evaluations and events; events are passed over.
        sink: takes the scalars, and is closed.
        first: training fitness of the best start program, with which the curve of the best begins.
        suffix: last part of the names of losses, for those that are only reported.
    """
    curves = _Curves(sink, suffix)
    sums: Counter[str] = Counter()
    cost: float | None = 0.0
    step = outcomes = 0
    try:
        for row in rows:
            if row["what"] == "evaluation":
                curves.add(row["split"], row["fitness"], step, float(row["at"]))
            if row["what"] != "outcome":
                continue
            outcomes += 1
            step = int(row["told"])
            at = float(row["at"])
            if outcomes == 1:
                curves.add_best("train", first, 0, at)
            sums["candidates"] += row["candidate"] is not None
            sums["rejections"] += row["rejection"] is not None
            sums["model_calls"] += row["model_calls"]
            sums["tokens"] += row["tokens"]
            for name in _COUNTS[: None if sums["model_calls"] else 2]:
                sink.add_scalar(f"count/{name}", sums[name], step, at)
            cost = None if cost is None or row["cost_usd"] is None else cost + row["cost_usd"]
            if sums["model_calls"] and cost is not None:
                sink.add_scalar("cost_usd", cost, step, at)
            curves.add("train", row["train_fitness"], step, at)
    finally:
        sink.close()
    return outcomes


class _Curves:
    """Losses of candidates on each split, and the best so far on those that steer the search."""

    def __init__(self, sink: Sink, suffix: str) -> None:
        self._sink = sink
        self._suffix = suffix
        self._best: dict[str, float] = {}

    def add(self, split: str, fitness: float | None, step: int, at: float) -> None:
        """Writes a candidate's loss, and the best one if that changed; without fitness nothing."""
        if fitness is not None:
            self._write(split, "candidate", fitness, step, at)
            self.add_best(split, fitness, step, at)

    def add_best(self, split: str, fitness: float | None, step: int, at: float) -> None:
        """Writes the best loss on training or validation if it changed."""
        if split == "test" or fitness is None or fitness <= self._best.get(split, -math.inf):
            return
        self._best[split] = fitness
        self._write(split, "best", fitness, step, at)

    def _write(self, split: str, curve: str, fitness: float, step: int, at: float) -> None:
        loss = -100 * fitness + 0.0
        self._sink.add_scalar(f"{_SPLITS[split]}_loss_percent{self._suffix}/{curve}", loss, step, at)
