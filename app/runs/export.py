"""What leaves a run: rows as JSON lines, CSV, scalars for TensorBoard; the run for others as one .zip."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import stat
import tempfile
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from ...evolve.store.progress import founders_best
from ...evolve.store.reader import Reader
from ...evolve.store.schema import FILE_NAME
from ...evolve.store.tally import copy_without_calls, export_rows, new_rows
from ...problems.base import decode_number
from ...sandbox import unseen
from ..errors import INVALID, MISSING, NO_CANDIDATE, UserError
from ..formatting import escaped, json_text
from .folders import status
from .record import RunRecord, open_record
from .standalone import program_text

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


# A run for others as one .zip: its store without prompts and replies, and its champion.
#
# The file of somebody else is hostile input: few entries of known names, no links, no more bytes than
# allowed, only store and champion are taken out. What the store says is a foreign record; the champion
# never runs.

_CHAMPION = "champion.py"
_README = "README.txt"
_NAMES = (FILE_NAME, _CHAMPION, _README)
_MOST_BYTES = 2**30
"""Of the store in a bundle, however small its compressed form is."""
_MOST_TEXT = 2**21
"""Bytes of the champion in a bundle."""
_CHUNK = 2**20
_MOST_AT_ONCE = 2 * _CHUNK
"""Bytes of a bundle that are read at once; its list of entries has a few hundred."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def write_bundle(record: RunRecord, stream: IO[bytes]) -> None:
    """Writes a run's champion, instances, references and record, without prompts, replies and addresses.

    Raises:
        UserError: no candidate is feasible.
    """
    if record.best is None:
        raise UserError(
            NO_CANDIDATE, f"{record.name}: no feasible candidate yet, so there is nothing to verify"
        )
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / FILE_NAME
        copy_without_calls(record.reader, store)
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bundle:
            bundle.write(store, FILE_NAME)
            bundle.writestr(_CHAMPION, program_text(record, record.best, _CHAMPION))
            bundle.writestr(_README, _words(record))


def _words(record: RunRecord) -> str:
    return (
        f"{record.headline['text']}\n\n"
        "Check this with Gapsmith: gapsmith verify FILE.zip\n"
        f"It compares {_CHAMPION} with the record and runs the record's champion and the baselines\n"
        "again on the recorded instances. It compares every answer and gap, draws the instances again\n"
        "and proves a sample of the references again.\n"
    )


def is_bundle(text: str) -> bool:
    """Whether an argument names a bundle and no run."""
    return text.endswith(".zip") and Path(text).is_file()


@contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The run folder that a bundle holds, for the time of the block.

    Raises:
        UserError: the file is no bundle, or larger than any.
    """
    name = path.stem if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,100}", path.stem) else "bundle"
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root) / name
        folder.mkdir()
        try:
            with _Pieces(path) as file, zipfile.ZipFile(file) as bundle:
                _take(bundle, folder)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            RuntimeError,
            NotImplementedError,
            ValueError,
        ) as error:
            raise _refusal(path, f"no readable .zip ({type(error).__name__})") from error
        except zipfile.LargeZipFile as error:
            raise _refusal(path, "too large") from error
        except _Unfit as error:
            raise _refusal(path, str(error)) from error
        yield folder


class _Unfit(Exception):
    """What is wrong with a bundle."""


class _Pieces(io.FileIO):
    """A file of which no more than `_MOST_AT_ONCE` bytes are read at once.

    The list of a .zip's entries is read at once, and two million entries take gigabytes before they can be
    counted.
    """

    def read(self, size: int | None = -1) -> bytes:
        """Bytes of the file.

        Raises:
            _Unfit: more are wanted at once than any bundle needs.
        """
        if size is not None and size > _MOST_AT_ONCE:
            raise _Unfit(f"holds a list of entries of {size:,} bytes")
        return super().read(size) or b""


def _refusal(path: Path, why: str) -> UserError:
    return UserError(
        INVALID,
        f"{path}: {why}; expected a bundle",
        "make one with `gapsmith export RUN --bundle -o FILE.zip`",
    )


def champion_difference(folder: Path, record: RunRecord) -> dict[str, str] | None:
    """How the champion of an unpacked bundle differs from that of its store; None if it does not.

    Comments of the header may differ, for they name versions; the first line, which says the coding, may not.
    """
    try:
        text = (folder / _CHAMPION).read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        text = ""
    assert record.best is not None, "a run without a champion was refused"
    stored = program_text(record, record.best, _CHAMPION)
    if _code(text) == _code(stored):
        return None
    told = ("the store's", "another text, which was not run")
    return {"what": f"{_CHAMPION} of the bundle", "recorded": told[0], "now": told[1]}


def _code(text: str) -> tuple[str, list[str]]:
    """The first line of a program, and the lines from the first one on that is no comment.

    A line with a carriage return is no comment here: Python ends the line there and runs the rest.
    """
    lines = text.split("\n")
    header = 0
    while header < len(lines) and lines[header].startswith("#") and lines[header].isprintable():
        header += 1
    return lines[0], lines[header:]


def _take(bundle: zipfile.ZipFile, folder: Path) -> None:
    """Copies the store and the champion out of a bundle.

    Raises:
        _Unfit: the bundle holds other things, a link, an encrypted entry, or too many bytes.
    """
    entries = bundle.infolist()
    names = [entry.filename for entry in entries]
    if len(set(names)) != len(names) or not set(names) <= set(_NAMES) or FILE_NAME not in names:
        raise _Unfit(f"holds {len(names)} entries, among them other ones than {', '.join(_NAMES)}")
    for entry in entries:
        mode = entry.external_attr >> 16
        if entry.flag_bits & 1 or entry.compress_type not in _METHODS:
            raise _Unfit(f"{entry.filename} is encrypted or packed in an unusual way")
        if entry.is_dir() or (stat.S_IFMT(mode) and not stat.S_ISREG(mode)):
            raise _Unfit(f"{entry.filename} is no plain file")
    for name, most in ((FILE_NAME, _MOST_BYTES), (_CHAMPION, _MOST_TEXT)):
        if name in names:
            _copy(bundle, folder / name, most)


def _copy(bundle: zipfile.ZipFile, target: Path, most: int) -> None:
    """Copies one entry of a bundle, of at most `most` bytes.

    Raises:
        _Unfit: the entry has more.
    """
    size = 0
    with bundle.open(target.name) as source, target.open("xb") as stream:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > most:
                raise _Unfit(f"{target.name} has more than {most:,} bytes")
            stream.write(chunk)
