"""The kinds of pictures, each with its caption, and the drawings of answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ....evaluators.base import ReferenceKind
from ...formatting import one_line
from ...runs.champions import solver_rows
from ...runs.figures import LOSS, REPORTED, trust
from ...runs.record import RunRecord
from ...runs.stored_run import MOST_SHAPES, stored_drawings
from . import quality, search, time
from . import quality as quality_module
from . import time as time_module
from .canvas import NAME, styled
from .drawing import draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# The picture of a run's kept answers: Gantt charts, packings, maps, as its problem draws them.


def figure(record: RunRecord) -> Figure | None:
    """The kept answers of best candidate and best baseline; None for a run that keeps none."""
    kept = stored_drawings(record.reader)
    if kept is None:
        return None
    return draw({_name(record, program): drawing for program, drawing in kept.programs.items()})


def _name(record: RunRecord, program: str) -> str:
    """A program's name above its picture; a champion that is a baseline has that name too."""
    name = (record.reader.record("founders") or {}).get(program)
    return record.title(program) if name is None else f"{record.title(program)} ({one_line(str(name), NAME)})"


_SQUARES = " Squares: the solver, stopped early."


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of picture.

    Attributes:
        caption: one or two sentences that say what the picture shows.
        make: draws the picture; returns None without data.
        numbers: the numbers of the picture as JSON members, for kinds that offer them.
        on_page: whether the report shows the picture; of the heat map it has a table.
        of_reported: whether the picture says anything of scores that were only reported.
        missing: why a run may have nothing to draw.
    """

    caption: str
    make: Callable[[RunRecord], Figure | None]
    numbers: Callable[[RunRecord], dict[str, Any]] | None = None
    on_page: bool = True
    of_reported: bool = True
    missing: str = "the run holds no such data"

    def draw(self, record: RunRecord) -> Figure | None:
        """The picture of a run, in Gapsmith's style; None without data."""
        reported = trust(record.reader) == REPORTED
        if reported and not self.of_reported:
            return None
        with styled():
            figure = self.make(record)
        for axes in () if figure is None else figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                text = axis.label.get_text()
                text = text.replace("%, logarithmic", "%") if axis.get_scale() == "linear" else text
                axis.label.set_text(text.replace("(%)", "(%, unverified)") if reported else text)
        return figure

    def caption_of(self, record: RunRecord) -> str:
        """The caption without marks that are not drawn; of reported scores, with what a loss is there."""
        words = self.caption
        kinds = {one.kind for one in record.reader.references().values()}
        if ReferenceKind.OPTIMUM not in kinds:
            words = re.sub(r" The star is [^.]*\.", "", words)
        if not solver_rows(record.reader):
            words = words.removesuffix(_SQUARES)
        if kinds == {ReferenceKind.BASELINE}:
            words = words.replace(", 0 is optimal", ", 0 is the best baseline")
        if trust(record.reader) != REPORTED:
            return words
        words = words.replace("Mean gap", "Mean loss")
        if "loss" not in words:
            return words
        words = words.partition(" Training loss: mean")[0].replace("; lower is better, 0 is optimal", "")
        return f"{words} {LOSS[0].upper()}{LOSS[1:]}."


KINDS = {
    "progress": Kind(
        "Best training loss so far over the number of candidates evaluated; lower is better, 0 is optimal. "
        "Training loss: mean over all training instances, percent of max(|reference|, scale).",
        search.progress,
    ),
    "time": Kind(
        "Best training loss so far over wall time.",
        partial(search.progress, over="seconds"),
    ),
    "cost": Kind(
        "Best training loss so far over the cost of models in US dollars.",
        partial(search.progress, over="usd"),
    ),
    "strata": Kind(
        "Mean gap of each stratum for start program, baselines and best candidate; darker is larger.",
        quality.strata,
        on_page=False,
        of_reported=False,
    ),
    "scatter": Kind(
        "Each point is an instance: loss of the best candidate against the best baseline's; below the line "
        "the candidate is better.",
        quality.scatter,
        of_reported=False,
    ),
    "answers": Kind(
        "Answers to one test instance, that on which the best candidate's loss is the median: the best "
        "candidate's and, where it is another one, the best baseline's, drawn to the same scale.",
        figure,
        of_reported=False,
        missing=f"a campaign keeps answers at its end, if its problem draws, up to {MOST_SHAPES:,} shapes",
    ),
    "pareto": Kind(
        "Training loss against CPU time per execution, with the candidates' Pareto front; the baselines' own "
        "front is named where there is room. The star is the method that proved the references, where all "
        "are optima: wall time of search and proof. Above four times the start program's loss nothing is "
        "drawn.",
        search.front,
        quality_module.front_numbers,
    ),
    "front": Kind(
        "Mean gap on validation against CPU time of all validated programs. The line joins the best of the "
        "time classes (between the dotted lines), as far as better than faster ones beyond noise. The star "
        "is the method that proved the references, where all are optima." + _SQUARES,
        time_module.front,
    ),
    "archive": Kind(
        "Cells of the archive, all islands together; the number is the loss of the cell's elite in percent.",
        search.archive,
    ),
    "diversity": Kind(
        "Cells filled on all islands, and quality-diversity score: the sum over these cells of how far the "
        "elite's training loss lies below the start program's. Dotted lines: an island was resettled.",
        quality.diversity,
    ),
    "islands": Kind(
        "Best training loss so far of each island over the candidates evaluated. Every island begins with "
        "the start program; immigrants do not count.",
        time.islands,
    ),
    "spent": Kind(
        "CPU seconds of executions over wall time, by use; the line is US dollars of model calls.",
        time.spent,
    ),
    "tree": Kind(
        "The elites and their ancestors: iteration and training loss of each candidate, a line to its "
        "first parent. The line of the best candidate is thick; each island has its colour.",
        quality_module.tree,
    ),
    "lineage": Kind(
        "Training loss of the best candidate's ancestors, from the start program on.",
        quality.lineage,
    ),
    "operators": Kind(
        "Proposals of each operator, how many became candidates, how many were better than their parent.",
        search.operators,
    ),
    "rejections": Kind(
        "Proposals that became no candidate, and candidates that failed or were stopped, by reason.",
        search.rejections,
    ),
    "spending": Kind(
        "Where the time went: CPU seconds of executions, and seconds of waiting for models.",
        quality.spending,
    ),
}
