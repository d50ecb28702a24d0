"""What views read of one run: champion, archive, names, metrics, and its row in the list of runs."""

from __future__ import annotations

import difflib
import os
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ...evaluators.base import Metric, Reference, Score
from ...evaluators.figures import Figures, by_stratum, of_evaluation
from ...evolve.archive import Archive
from ...evolve.budget import StopReason
from ...evolve.store.connection import GLANCE_SECONDS
from ...evolve.store.progress import mean_gap, mean_score
from ...evolve.store.reader import BASELINE, Reader, examine
from ...evolve.store.schema import FILE_NAME, StoreError
from ...evolve.types import Candidate
from ...problems.base import SPLITS
from ..errors import INVALID, NO_CANDIDATE, USAGE, UserError
from ..formatting import UNKNOWN, one_line
from .champions import best_baseline_name, time_budget
from .course import rebuild
from .figures import REPORTED, trust
from .folders import CONFIG_NAME, OPEN, find_group, find_run, misnamed, preparing, status
from .signature import is_own
from .stored_run import StoredRun, completed_iterations
from .summary import best_candidate, summarise

SHORT = 8
"""Length of a candidate's id in tables, characters."""


class RunRecord(StoredRun):
    """One run as the views see it."""

    def __init__(self, folder: Path, reader: Reader, incomplete: bool = False) -> None:
        super().__init__(folder, reader, incomplete)
        self._archive: list[Archive | None] = []

    @property
    def best(self) -> str | None:
        """Id of the champion, or of the best candidate so far; None if no candidate is feasible."""
        return best_candidate(self.reader)

    @property
    def headline(self) -> dict[str, Any]:
        """What the run came to, as a document with `text` and `verdict`."""
        document: dict[str, Any] = summarise(self.folder, self.reader)["headline"]
        return document

    @property
    def unsafe(self) -> list[str]:
        """Sandbox layers that were off in this run; empty for an ordinary run."""
        return list(self.reader.record("unsafe_without") or ())

    @property
    def layers(self) -> dict[str, bool]:
        """Sandbox layer → whether it was on in every slot; empty if the run did not record its layers."""
        return dict(self.reader.record("layers") or {})

    def reached(self, id: str) -> list[str]:
        """Names outside its task that a candidate uses, found in its text or noted while it ran."""
        names = list(self.candidate(id).description.internals)
        for event in self.reader.events("reached"):
            noted = event.data.get("what")
            if event.data.get("candidate") == id and isinstance(noted, list):
                names += map(str, noted)
        return list(dict.fromkeys(names))

    @property
    def models(self) -> str:
        """Model specifications, separated by commas; `offline` without a model."""
        specs = self.reader.record("model") or ["offline"]
        return specs if isinstance(specs, str) else ", ".join(specs)

    @property
    def archive(self) -> Archive | None:
        """The archive as the store holds it; None until a start program has been evaluated."""
        if not self._archive:
            self._archive.append(rebuild(self))
        return self._archive[0]

    def figures(self, program: str, split: str) -> Figures | None:
        """Figures of an evaluation; None without an evaluation."""
        evaluation = self.evaluation(program, split)
        return None if evaluation is None else of_evaluation(evaluation, self.instances)

    def strata(self, program: str, split: str) -> dict[str, Figures]:
        """Stratum → figures of an evaluation; empty without an evaluation."""
        evaluation = self.evaluation(program, split)
        return {} if evaluation is None else by_stratum(evaluation.scores, self.instances)

    def scores(self, program: str, split: str) -> Sequence[Score]:
        """Scores of an evaluation in the order of execution."""
        evaluation = self.evaluation(program, split)
        return () if evaluation is None else evaluation.scores

    def baselines(self) -> list[str]:
        """Programs under which baselines are stored (`baseline/NAME`)."""
        return [BASELINE + name for name in self.reader.baselines()]

    def best_baseline(self, split: str) -> str | None:
        """The baseline program with the best fitness on a split."""
        evaluations = [(self.evaluation(program, split), program) for program in self.baselines()]
        ranked = [
            (e.fitness, program) for e, program in evaluations if e is not None and e.fitness is not None
        ]
        return max(ranked)[1] if ranked else None

    @property
    def rival(self) -> str | None:
        """The baseline program that the headline compares with: validation and a time budget choose it."""
        timing = {"time_budget_seconds": time_budget(self.reader), "timing": self.reader.record("timing")}
        figures = {program: self.figures(program, "valid") for program in self.baselines()}
        baselines = {program: {"valid": f and f.as_json()} for program, f in figures.items()}
        return best_baseline_name({"baselines": baselines, **timing})

    def resolve(self, text: str) -> str:
        """Id of the candidate that `text` names: `best`, `start`, an id or an unambiguous prefix.

        Raises:
            UserError: no candidate or several candidates match.
        """
        if text == "start" and self.start is not None:
            return self.start
        if text == "best" and (id := self.best) is not None:
            return id
        if text in ("best", "start"):
            raise UserError(
                NO_CANDIDATE,
                f"{self.name}: no feasible candidate yet",
                f"see why with `gapsmith show {shlex.quote(self.name)}`",
            )
        ids = self.reader.candidate_ids(text)
        if len(ids) == 1 or text in ids:
            return text if text in ids else ids[0]
        if ids:
            shown = ", ".join(ids[:5])
            raise UserError(
                USAGE,
                f"candidate {text!r}: {len(ids)} candidates start like this ({shown})",
                "type more of its id",
            )
        near = difflib.get_close_matches(text, self.reader.candidate_ids(), 3, 0.3)
        raise UserError(
            USAGE,
            f"candidate {text!r}: not in run {self.name}",
            f"did you mean {', '.join(near) if near else 'best or start'}?",
        )

    def lineage(self, id: str) -> list[Candidate]:
        """The chain of first parents from a start program to the candidate, oldest first."""
        chain = [self.candidate(id)]
        while chain[-1].parents:
            parent = self.candidate(chain[-1].parents[0])
            if parent.iteration >= chain[-1].iteration:
                raise StoreError(
                    f"{self.folder}: candidate {chain[-1].id} is no younger than its parent; "
                    "the file is damaged"
                )
            chain.append(parent)
        return chain[::-1]

    def title(self, program: str) -> str:
        """A program's name in tables: `start 1a2b…`, `best 3c4d…`, or a baseline's name."""
        if program.startswith(BASELINE):
            return one_line(program.removeprefix(BASELINE), _CELL)
        words = [word for word, id in (("start", self.start), ("best", self.best)) if id == program]
        return " ".join([*words[:1], program[:SHORT]])


def at_bench(reader: Reader) -> bool:
    """Whether a run is a workbench before its end: no figure of validation or test is told of it."""
    if reader.record("bench") is None or reader.record("champion") is not None:
        return False
    reason = reader.record("stop_reason")
    return reason in (None, OPEN) or StopReason(reason).halts


@contextmanager
def open_record(folder: Path, *, checked: bool = True) -> Iterator[RunRecord]:
    """Opens the record of a run folder read-only and closes it at the end of the block.

    Args:
        folder: folder of the run.
        checked: whether to check all rows against the schema first.

    Raises:
        UserError: the store cannot be read.
    """
    unclosed = (folder / f"{FILE_NAME}-wal").exists()
    try:
        reader = Reader.open(folder, checked=checked)
    except StoreError as error:
        raise UserError(INVALID, str(error)) from error
    record = RunRecord(folder, reader, unclosed and not os.access(folder, os.W_OK))
    try:
        if at_bench(reader):
            reader.hide_unseen()
        yield record
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        examine(reader)  # raises a clear error if the store is damaged; otherwise the exception is a bug
        if not record.foreign:
            raise
        raise UserError(
            INVALID,
            f"{folder}: the record holds what no run records ({type(error).__name__}: {error})",
            "another user made or changed this run; if it was made by Gapsmith alone, this is a bug",
        ) from error
    finally:
        reader.close()


def references_of(file: Path) -> dict[str, Reference]:
    """References of a run of this user by the digest of their instance, where a file is its configuration.

    Nothing is taken of a foreign run, nor where the file is no run's.
    """
    if file.name != CONFIG_NAME or not (file.parent / FILE_NAME).is_file():
        return {}
    with open_record(file.parent) as record:
        if record.foreign or record.reader.record("created") is None:
            return {}
        references = record.reader.references()
        return {instance.digest: references[id] for id, instance in record.instances.items()}


def find_runs(text: str, runs: Path, *, unbegun: bool = False) -> list[Path]:
    """The run that `text` names, or all runs of the group that it names; `unbegun` as for `find_run`.

    Raises:
        UserError: no run matches, or `text` is a prefix of several names.
    """
    return find_group(text, runs) or [find_run(text, runs, unbegun=unbegun)]


# The list of runs: one row for each run, read without loading instances.

_EMPTY = dict.fromkeys(("problem", "model", "iterations", "best_gap_percent", "started", "group"))


def run_row(folder: Path) -> dict[str, Any]:
    """One run under the field names of the JSON contract.

    A store that cannot be read gives `status` `unreadable` and a `note` with the reason, whatever is wrong
    with it: one damaged run must not end the list of all.
    """
    if preparing(folder):
        return {"run": folder.name, **_EMPTY, "status": "preparing", "foreign": False, "unsafe_without": []}
    try:
        if fault := misnamed(folder):
            raise StoreError(fault)
        reader = Reader.open(folder, checked=False, seconds=GLANCE_SECONDS)
        try:
            with reader.sound("run"):
                if at_bench(reader):
                    reader.hide_unseen()
                return _row(folder, reader)
        finally:
            reader.close()
    except Exception as error:
        why = str(error) if isinstance(error, StoreError) else f"damaged ({type(error).__name__}: {error})"
        unknown = {"status": "unreadable", "foreign": True, "unsafe_without": [], "note": why}
        return {"run": folder.name, **_EMPTY, **unknown}


def _row(folder: Path, reader: Reader) -> dict[str, Any]:
    models = reader.record("model") or []
    best = best_candidate(reader)
    return {
        "run": folder.name,
        "problem": (reader.record("problem") or {}).get("name"),
        "model": models if isinstance(models, str) else ", ".join(models) or None,
        "status": status(folder, reader.record("stop_reason")),
        "foreign": not is_own(reader),
        "unsafe_without": list(reader.record("unsafe_without") or ()),
        "iterations": completed_iterations(reader),
        "best_gap_percent": mean_gap(reader, best, "valid"),
        **_reported(reader, best),
        "started": reader.record("created"),
        "group": reader.record("group"),
    }


def _reported(reader: Reader, best: str | None) -> dict[str, Any]:
    """The best score where scores are only reported, else nothing."""
    if trust(reader) != REPORTED:
        return {}
    return {"trust": REPORTED, "best_reported_score": mean_score(reader, best, "valid")}


# Simplified forms of candidates, stored with the run.

RECORD: Final = "simplified"
"""Key of the run's record that maps a candidate to the document of its simplified form."""


def stored_simplification(record: RunRecord, id: str) -> dict[str, Any] | None:
    """Document of a candidate's simplified form; None if the candidate was never simplified."""
    document: dict[str, Any] | None = (record.reader.record(RECORD) or {}).get(id)
    return document


# What a foreign evaluator measured of a candidate, over the executions of a split.

_CELL = 40
"""Longest text of a metric in a table (characters)."""


@dataclass(frozen=True, slots=True)
class MetricValues:
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
        least = min(numbers)
        most = max(numbers)
        return mean if least == most else f"{mean} ({least:.4g} to {most:.4g})"

    def as_json(self) -> dict[str, Any]:
        """Executions (count), and mean, least and greatest value; null where a value is no number."""
        numbers = self.numbers
        figures = (_mean(numbers), min(numbers), max(numbers)) if numbers else (None, None, None)
        return {"executions": len(self.values), **dict(zip(("mean", "least", "most"), figures, strict=True))}


def _mean(numbers: list[float]) -> float:
    return sum(number / len(numbers) for number in numbers)


def measured(scores: Iterable[Score]) -> dict[str, MetricValues]:
    """Name → values of each metric, in the order in which the evaluator gave them first."""
    values: dict[str, list[Metric]] = {}
    for score in scores:
        for name, value in (score.metrics or {}).items():
            values.setdefault(name, []).append(value)
    return {name: MetricValues(tuple(some)) for name, some in values.items()}


def metric_rows(record: RunRecord, id: str) -> list[list[str]]:
    """Name of each metric of a candidate, and its cell for each split; no row without any."""
    figures = {split: measured(record.scores(id, split)) for split in SPLITS}
    names = dict.fromkeys(name for of_split in figures.values() for name in of_split)
    cells = {n: [m[n].cell if n in m else UNKNOWN for m in figures.values()] for n in names}
    return [[one_line(name, _CELL), *cells[name]] for name in names]
