"""Pictures of the best candidate: by stratum, by instance, along its lineage; the numbers behind them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ....evaluators.scoring import normalised_loss
from ....evaluators.statistics import wins_ties_losses
from ....evolve.store.progress import Point, Relative, exact_point, points, relatives
from ....evolve.store.statistics import seconds_by_use, waited_seconds, work
from ...formatting import one_line
from ...runs.course import replayed
from ...runs.record import SHORT, RunRecord
from .canvas import (
    BLUE,
    COLOURS,
    GREY,
    INK,
    LOSS,
    NAME,
    ORANGE,
    WIDTH,
    above,
    fit_losses,
    new_axes,
    note_thinning,
    thin,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# The tree of lineages: the elites of the archive and their ancestors.

_MOST = 400
"""Candidates drawn at most, the elites with the smallest losses and their ancestors (count)."""


def tree(record: RunRecord) -> Figure | None:
    """Iteration and training loss of elites and their ancestors, lines to first parents."""
    archive = record.archive
    elites = [] if archive is None else sorted(archive.elites(), key=lambda e: -e.fitness)
    everyone = relatives(record.reader)
    shown: dict[str, Relative] = {}
    for elite in elites:
        line = _line(elite.candidate.id, everyone)
        new = {relative.id: relative for relative in line if relative.id not in shown}
        if len(shown) + len(new) > _MOST:
            break
        shown |= new
    if len(shown) < 2:
        return None
    figure, axes = new_axes(1.6 * WIDTH, 4.2)
    for relative in shown.values():
        parent = shown.get(relative.parent or "")
        if parent is not None:
            ends = [parent.iteration, relative.iteration], [parent.loss, relative.loss]
            axes.plot(*ends, color=COLOURS[relative.island % len(COLOURS)], linewidth=0.6, alpha=0.7)
    best = _line(record.best or "", everyone)
    axes.plot(
        [r.iteration for r in best], [r.loss for r in best], color=INK, linewidth=2, label="best candidate"
    )
    ids = {elite.candidate.id for elite in elites}
    for island in sorted({relative.island for relative in shown.values()}):
        members = [r for r in shown.values() if r.island == island]
        marks = axes.scatter(
            [r.iteration for r in members],
            [r.loss for r in members],
            s=[26 if r.id in ids else 8 for r in members],
            color=COLOURS[island % len(COLOURS)],
            label=f"island {island}",
            zorder=3,
        )
        marks.set_urls([f"#c-{r.id[:SHORT]}" if r.id in ids else None for r in members])
    fit_losses(axes.yaxis, [r.loss for r in shown.values()])
    axes.set_xlabel("iteration")
    axes.set_ylabel(LOSS)
    total = len({r.id for elite in elites for r in _line(elite.candidate.id, everyone)})
    note_thinning(axes, len(shown), total, "elites and ancestors")
    above(axes, columns=6)
    return figure


def _line(id: str, everyone: dict[str, Relative]) -> list[Relative]:
    """A candidate and its first parents, youngest first; a damaged record cannot make a circle of them."""
    line: list[Relative] = []
    relative = everyone.get(id)
    while relative is not None and (not line or relative.iteration < line[-1].iteration):
        line.append(relative)
        relative = everyone.get(relative.parent or "")
    return line


# Numbers behind the pictures, read in a few queries even for a large run.


def baseline_points(record: RunRecord) -> list[Point]:
    """One point for each baseline that is valid on every training instance."""
    found = []
    for program in record.baselines():
        evaluation = record.evaluation(program, "train")
        if evaluation is not None and evaluation.fitness is not None:
            seconds = sum(s.cpu_seconds for s in evaluation.scores) / len(evaluation.scores)
            found.append(Point(program, seconds, -100 * evaluation.fitness))
    return found


def front(found: list[Point]) -> list[Point]:
    """Pareto front: points that no other point beats in both CPU time and loss, fastest first."""
    best: list[Point] = []
    for point in sorted(found, key=lambda p: (p.seconds, p.loss)):
        if not best or point.loss < best[-1].loss:
            best.append(point)
    return best


def front_numbers(record: RunRecord) -> dict[str, Any]:
    """Pareto front of candidates and baselines, and the exact method (None unless all references are optima).

    Each point has `program`, `cpu_seconds` per execution and `training_loss_percent`; the exact method has
    `solver` and `wall_seconds` per instance, proof included.
    """
    exact = exact_point(record.reader)
    return {
        "front": [
            {"program": p.program, "cpu_seconds": p.seconds, "training_loss_percent": p.loss}
            for p in front([*points(record.reader), *baseline_points(record)])
        ],
        "exact": None if exact is None else {"solver": exact.program, "wall_seconds": exact.seconds},
    }


@dataclass(frozen=True, slots=True)
class Diversity:
    """The diversity of the archive after some told iterations.

    Attributes:
        told: iterations told (count).
        cells: cells filled on all islands (count).
        score: quality-diversity score: the sum over these cells of start program's loss − elite's loss on
            training (percent points), where an elite that is no better adds 0.
    """

    told: int
    cells: int
    score: float


def diversity_curve(record: RunRecord) -> list[Diversity]:
    """Occupancy and quality-diversity score (Pugh, Soros and Stanley 2016, doi:10.3389/frobt.2016.00040).

    One entry for the start programs, then one for each told iteration that changed the archive. The offset of
    the score is the start program's fitness.
    """
    found: dict[int, Diversity] = {}
    offset: float | None = None
    for told, archive in replayed(record):
        fitness = [elite.fitness for elite in archive.elites()]
        if offset is None:
            start = record.evaluation(record.start or "", "train")
            offset = start.fitness if start is not None and start.fitness is not None else max(fitness)
        score = 100 * sum(max(0.0, value - offset) for value in fitness)
        found[told] = Diversity(told, len(fitness), score)
    return list(found.values())


def losses(record: RunRecord, program: str, split: str) -> dict[str, float]:
    """Instance → loss in percent of max(|reference|, scale), for instances with a valid answer."""
    found = {}
    for score in record.scores(program, split):
        loss = normalised_loss(score, record.instances[score.instance])
        if loss is not None:
            found[score.instance] = 100 * loss
    return found


_MOST_STEPS = 600
_MOST_RESETS = 60
"""More resettlements than this would cover the curves."""


def judged_split(record: RunRecord) -> str | None:
    """The split that judges the best candidate: test if it was used, else validation, else training."""
    best = record.best
    if best is None:
        return None
    return next((s for s in ("test", "valid", "train") if record.evaluation(best, s) is not None), None)


def strata(record: RunRecord) -> Figure | None:
    """Mean gap of each stratum for start program, baselines and best candidate, as a heat map."""
    split = judged_split(record)
    programs = compared(record)
    if split is None:
        return None
    table = {p: {n: f.mean_gap_percent for n, f in record.strata(p, split).items()} for p in programs}
    names = sorted({name for row in table.values() for name in row})
    from matplotlib.colors import SymLogNorm

    values = [[row.get(name) for name in names] for row in table.values()]
    numbers = [v for row in values for v in row if v is not None]
    figure, axes = new_axes(max(6.0, 1.5 + 0.42 * len(names)), 1.6 + 0.32 * len(programs))
    norm = SymLogNorm(linthresh=0.5, vmin=0, vmax=max([1.0, *numbers]))
    grid = [[float("nan") if v is None else v for v in row] for row in values]
    image = axes.imshow(grid, cmap="viridis_r", norm=norm, aspect="auto")
    shown = [one_line(name, NAME) for name in names]
    axes.set_xticks(range(len(names)), shown, rotation=60, ha="right", fontsize=8)
    axes.set_yticks(range(len(programs)), [record.title(p) for p in programs], fontsize=8)
    axes.grid(visible=False)
    label = "mean gap (% of the reference)"
    figure.colorbar(image, ax=axes, label=label, format=lambda value, _: f"{value:g}")
    axes.set_title(f"{split} split; white: every reference is 0", fontsize=9, loc="left", color=INK)
    return figure


def scatter(record: RunRecord) -> Figure | None:
    """Loss of the best candidate against the best baseline's, one point for each instance."""
    split = judged_split(record)
    best = record.best
    baseline = None if split is None else record.rival
    if split is None or best is None or baseline is None:
        return None
    mine = losses(record, best, split)
    theirs = losses(record, baseline, split)
    pairs = [(theirs[id], mine[id]) for id in mine if id in theirs]
    shown = thin(pairs)
    figure, axes = new_axes(4.6, 4.2)
    every = [value for pair in pairs for value in pair]
    ends = [min([0.0, *every]), max([0.1, *every])]
    axes.plot(ends, ends, color=INK, linewidth=0.8, linestyle="--")
    axes.scatter([p[0] for p in shown], [p[1] for p in shown], s=16, color=BLUE, alpha=0.7)
    fit_losses(axes.xaxis, every)  # both alike, so that the line of equals is a diagonal
    fit_losses(axes.yaxis, every)
    axes.set_xlabel(f"best baseline, {record.title(baseline)}: loss (%)")
    axes.set_ylabel(f"best candidate: loss (%), {split} split")
    counts = wins_ties_losses((y, x) for x, y in pairs)
    axes.set_title(
        f"better on {counts['wins']}, equal on {counts['ties']}, worse on {counts['losses']}",
        fontsize=9,
        loc="left",
    )
    note_thinning(axes, len(shown), len(pairs), "instances")
    return figure


def lineage(record: RunRecord) -> Figure | None:
    """Training loss of the best candidate's ancestors, start program first."""
    best = record.best
    if best is None:
        return None
    chain = record.lineage(best)
    fitness = [record.evaluation(c.id, "train") for c in chain]
    points = [(n, -100 * e.fitness) for n, e in enumerate(fitness) if e is not None and e.fitness is not None]
    figure, axes = new_axes()
    axes.plot([p[0] for p in points], [p[1] for p in points], "o-", color=BLUE)
    labels = [f"{one_line(c.operator or c.origin.value, NAME)}\n{c.id[:SHORT]}" for c in chain]
    shown = thin(list(range(len(chain))), 9)
    axes.set_xticks(shown, [labels[n] for n in shown], fontsize=8, rotation=30, ha="right")
    axes.set_ylabel(LOSS)
    losses = [p[1] for p in points]
    baseline = record.best_baseline("train")
    evaluation = None if baseline is None else record.evaluation(baseline, "train")
    if baseline is not None and evaluation is not None and evaluation.fitness is not None:
        label = f"best baseline ({record.title(baseline)})"
        axes.axhline(-100 * evaluation.fitness, color=ORANGE, linestyle="--", linewidth=1.2, label=label)
        losses.append(-100 * evaluation.fitness)
        above(axes)
    fit_losses(axes.yaxis, losses)
    return figure


def diversity(record: RunRecord) -> Figure | None:
    """Filled cells and, below, quality-diversity score over told iterations."""
    found = diversity_curve(record)
    if not found:
        return None
    from matplotlib.figure import Figure

    told = [d.told for d in found] + [work(record.reader).iterations]
    figure = Figure(figsize=(WIDTH, 4.4), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    for axes, values, colour, title in (
        (upper, [d.cells for d in found], BLUE, "cells filled\n(count, all islands)"),
        (lower, [d.score for d in found], ORANGE, "quality-diversity score\n(percent points)"),
    ):
        drawn = thin([*zip(told, [*values, values[-1]], strict=True)], _MOST_STEPS)
        axes.step([x for x, _ in drawn], [y for _, y in drawn], where="post", color=colour)
        axes.set_ylabel(title)
        axes.set_ylim(bottom=0)
    shape = record.archive.space.shape if record.archive is not None else ()
    cells = math.prod(shape) * (record.archive.islands if record.archive is not None else 0)
    upper.set_title(f"of {cells:,} cells", fontsize=9, loc="left")
    lower.set_xlabel("iterations done (count)")
    resets = record.reader.events("reset")
    for event in resets if len(resets) <= _MOST_RESETS else ():
        for axes in (upper, lower):
            axes.axvline(event.iteration, color=GREY, linewidth=0.8, linestyle=":")
    return figure


def spending(record: RunRecord) -> Figure | None:
    """CPU seconds by use, and wall seconds of waiting for models."""
    waits = waited_seconds(record.reader)
    found = [(f"{use} (CPU)", seconds, BLUE) for use, seconds in seconds_by_use(record.reader)]
    if waits:
        found.append(("replies of models (wall)", waits, GREY))
    if not found:
        return None
    figure, axes = new_axes(WIDTH, 0.9 + 0.32 * len(found))
    axes.barh([f[0] for f in found], [f[1] for f in found], color=[f[2] for f in found], height=0.7)
    axes.set_xlabel("time (s)")
    axes.grid(visible=False, axis="y")
    return figure


def compared(record: RunRecord) -> list[str]:
    """The programs to compare: start program, best candidate, then baselines, best first."""
    split = judged_split(record) or "test"

    def rank(program: str) -> float:
        evaluation = record.evaluation(program, split)
        return float("inf") if evaluation is None or evaluation.fitness is None else -evaluation.fitness

    found = [record.start, record.best, *sorted(record.baselines(), key=rank)]
    return list(dict.fromkeys(program for program in found if program is not None))
