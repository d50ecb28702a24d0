"""A run for a notebook: champion, figures, tables, pictures; apart from `api`, as it needs no search."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..evolve.store.progress import steps
from ..problems.base import Instance, Json, canonical_json
from ..sandbox.base import ExecutionStatus, Limits, Program
from .errors import MISSING, NO_CANDIDATE, USAGE, UserError
from .formatting import UNKNOWN, clean, percent, spread
from .runs.export import rows
from .runs.record import open_record
from .runs.standalone import program_text
from .runs.summary import summarise

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

_SPLITS = (("train", "training"), ("valid", "validation"), ("test", "test"))


@dataclass(frozen=True, slots=True)
class Champion:
    """The best heuristic of a run; calling it runs its program in the sandbox.

    Attributes:
        id: of the candidate.
        source: text of the program.
        standalone: the same program as a file that runs alone, as `gapsmith best -o` writes it.
        figures: split → figures of the JSON contract, or None.
    """

    id: str
    source: str
    standalone: str
    figures: Mapping[str, Any]
    program: Program
    limits: Limits

    def __call__(self, instance: Instance | Mapping[str, Json] | None = None, /, **public: Json) -> Json:
        """The heuristic's answer to one instance.

        Args:
            instance: an instance, or its public part.
            public: the public part by name, in place of `instance`.

        Raises:
            UserError: the program gives no answer within the limits of its campaign.
        """
        from ..sandbox.slot import open_sandbox

        part = instance.public if isinstance(instance, Instance) else instance
        with closing(open_sandbox()) as slot:
            done = slot.execute(
                self.program, canonical_json({**(part or {}), **public}).encode(), self.limits, 1
            )
        if done.status is not ExecutionStatus.OK:
            raise UserError(
                NO_CANDIDATE,
                f"champion {self.id}: {done.status.value}: {done.error}",
                "an interactive heuristic is called step by step: import what `gapsmith best -o` writes",
            )
        return done.answer


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a run; a notebook shows it.

    Attributes:
        kind: as `gapsmith plot` names it.
        caption: what it shows.
        figure: matplotlib's.
    """

    kind: str
    caption: str
    figure: Figure

    def save(self, path: str | Path) -> None:
        """Writes a .svg, .png or .pdf file; replaces one that is there."""
        from .views.plots.canvas import FORMATS, render

        form = Path(path).suffix.lower().removeprefix(".")
        if form not in FORMATS:
            raise UserError(USAGE, f"{path}: got format {form or 'none'!r}, expected .svg, .png or .pdf")
        Path(path).write_bytes(render(self.figure, form, self.kind))

    def _repr_svg_(self) -> str:
        from .views.plots.canvas import render

        return render(self.figure, "svg", self.kind).decode()


class RunResult(Mapping[str, Any]):
    """A run and what it found; as a mapping it is the document of `gapsmith show RUN --json`.

    Attributes:
        folder: of the run.
        document: of the JSON contract.
    """

    def __init__(self, folder: Path) -> None:
        """Reads the summary of a run folder."""
        self.folder = folder
        with open_record(folder) as record:
            self.document: dict[str, Any] = summarise(folder, record.reader)

    def __getitem__(self, key: str) -> Any:
        return self.document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)

    def __len__(self) -> int:
        return len(self.document)

    @property
    def champion(self) -> Champion | None:
        """The best candidate; None if no candidate is feasible."""
        best = self.document["best"]
        if best is None:
            return None
        with open_record(self.folder) as record:
            id = best["candidate"]
            files = dict(record.candidate(id).files)
            problem = record.problem
            sandbox = record.config.get("sandbox") or {}
            seconds = None if record.foreign else sandbox.get("cpu_seconds")
            return Champion(
                id,
                next(iter(files.values())),
                program_text(record, id),
                best["splits"],
                Program(files, problem["entry_point"], problem.get("driver")),
                Limits() if seconds is None else Limits(cpu_seconds=seconds),
            )

    def scores(self, split: str | None = None) -> DataFrame:
        """One row for each program and instance: objective, reference, `gap_percent`, CPU seconds.

        Args:
            split: `train`, `valid` or `test`; all by default.
        """
        table = self._table("scores")
        return table if split is None else table[table["split"] == split].reset_index(drop=True)

    def candidates(self) -> DataFrame:
        """One row for each candidate: iteration, origin, operator, parents and fitness."""
        return self._table("candidates")

    def curve(self) -> DataFrame:
        """One row whenever the best training loss (percent) fell: iteration, evaluations, seconds, cost."""
        with open_record(self.folder) as record:
            return _pandas().DataFrame([asdict(step) for step in steps(record.reader)])

    def plot(self, kind: str = "progress") -> Picture:
        """A picture of the run.

        Args:
            kind: one of `gapsmith plot`; an unknown one is answered with all of them.

        Raises:
            UserError: there is no such picture, or the run has nothing to draw for it.
        """
        from .views.plots.kinds import KINDS

        if kind not in KINDS:
            raise UserError(USAGE, f"plot {kind!r}: not known, expected one of {', '.join(KINDS)}")
        with open_record(self.folder) as record:
            figure = KINDS[kind].draw(record)
            caption = KINDS[kind].caption_of(record)
        if figure is None:
            raise UserError(NO_CANDIDATE, f"{self.folder.name}: nothing to draw for {kind}")
        return Picture(kind, caption, figure)

    def _table(self, what: str) -> DataFrame:
        with open_record(self.folder) as record:
            return _pandas().DataFrame(list(rows(record, what)))

    def __repr__(self) -> str:
        return clean(
            f"<gapsmith run {self['run']}: {self['problem']}, {self['status']}; {self['headline']['text']}>"
        )

    def _repr_html_(self) -> str:
        """The headline and the gaps of start program, best baseline and champion."""
        entries = {"start program": self["start"] and self["start"]["splits"]}
        entries |= {f"baseline {name}": splits for name, splits in self["baselines"].items()}
        entries["champion"] = self["best"] and self["best"]["splits"]
        head = "".join(f"<th>{words}</th>" for _, words in _SPLITS)
        body = "".join(
            f"<tr><th>{html.escape(name)}</th>"
            + "".join(f"<td>{html.escape(_cell(splits.get(split)))}</td>" for split, _ in _SPLITS)
            + "</tr>"
            for name, splits in entries.items()
            if splits
        )
        title = f"{self['problem']}, {self['run']}: {self['status']}"
        return clean(
            f"<p><b>{html.escape(title)}</b><br>{html.escape(self['headline']['text'])}</p>"
            f"<table><tr><th>mean gap</th>{head}</tr>{body}</table>"
        )


def _cell(figures: Mapping[str, Any] | None) -> str:
    if figures is None:
        return UNKNOWN
    return f"{percent(figures['mean_gap_percent'])} {spread(figures)}".strip()


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise UserError(
            MISSING, "pandas is not installed; tables need it", "pip install 'gapsmith[pandas]'"
        ) from None
    return pandas
